import type { EventType } from './event-types.ts';
import type { DeliveredPayment, RefundedPayment } from '../../platform/database/tables/deposits.ts';
import type { ProposalStatus, ProposalType } from '../../proposals/rules/proposal.ts';
import type { DepositKind } from '../../settlement/rules/deposits.ts';
import type { HandedAsset } from '../../termination/rules/pot.ts';
import type { TerminationEnd } from '../../termination/rules/steps.ts';
import type { TransactionKind, TransactionState } from '../../transactions/rules.ts';
import type { HoldReason, TerminationReason, VaultStatus } from '../../vaults/rules/vault.ts';
import type { WindowKind, WindowStatus } from '../../vaults/rules/window.ts';
import type { VoteDecision } from '../../votes/rules.ts';

/** What an event of each type says. */
export type EventData = VaultEventData & DepositEventData & GovernanceEventData;

/** The types of events that say the same as this one. */
export type EventTypeLike<Type extends EventType> = {
  [Other in EventType]: EventData[Other] extends EventData[Type]
    ? EventData[Type] extends EventData[Other]
      ? Other
      : never
    : never;
}[EventType];

interface TransactionStatusData {
  readonly kind: TransactionKind;
  readonly from: TransactionState;
  readonly to: TransactionState;
  readonly blockHeight: number | null;
  readonly reason: string | null;
}

interface ClaimsData {
  readonly potLovelace: string;
  readonly circulatingFtBaseUnits: string;
  readonly claimDeadline: string;
}

interface RotationData {
  readonly rotationId: string;
}

/** What events of a vault, its windows, its settlement and its transactions say; amounts are texts. */
interface VaultEventData {
  VAULT_CREATED: { readonly name: string; readonly type: string; readonly contractAddress: string };
  VAULT_CREATION_ROLLED_BACK: Readonly<Record<string, never>>;
  VAULT_STATUS_CHANGED: {
    readonly from: VaultStatus;
    readonly to: VaultStatus;
    readonly reason: TerminationReason | null;
  };
  WINDOW_STATUS_CHANGED: { readonly window: WindowKind; readonly from: WindowStatus; readonly to: WindowStatus };
  VAULT_HELD: { readonly reason: HoldReason };
  VAULT_RELEASED: { readonly reason: HoldReason };
  VAULT_CANCEL_REQUESTED: Readonly<Record<string, never>>;
  VAULT_ALLOW_LIST_CHANGED: { readonly type: string; readonly operation: string; readonly count: number };
  VAULT_SETTINGS_CHANGED: {
    readonly investorListEnabled?: boolean;
    readonly valuationType?: string;
    readonly customPrices?: number;
    readonly fdp?: string;
  };
  VAULT_DELETED: { readonly status: VaultStatus };
  VALUATION_CHANGED: { readonly total: string; readonly nftValue: string; readonly cntValue: string };
  TRANSACTION_SIGNED: { readonly kind: TransactionKind };
  TRANSACTION_WITHDRAWN: { readonly kind: TransactionKind };
  TRANSACTION_STATUS_CHANGED: TransactionStatusData;
  TRANSACTION_ROLLED_BACK: TransactionStatusData;
  TRANSACTION_REFUSED: { readonly kind: TransactionKind; readonly reason: string | null };
  SETTLEMENT_PLANNED: { readonly value: string; readonly invested: string; readonly fdv: string };
  SETTLEMENT_REVISED: {
    readonly reclaimedInvestments: readonly string[];
    readonly invested: string;
    readonly lpLovelace: string;
    readonly contributorsLovelace: string;
    readonly contributors: readonly { readonly assetId: string; readonly lovelace: string }[];
  };
  VAULT_FAILED: { readonly reason: TerminationReason };
  TERMINATION_BEGUN: { readonly reason: TerminationReason };
  TERMINATION_TAKEN_BACK: Readonly<Record<string, never>>;
  CLAIMS_OPENED: ClaimsData;
  CLAIMS_CHANGED: ClaimsData & { readonly endedBecause: TerminationEnd | null };
  CLAIMS_WITHDRAWN: Readonly<Record<string, never>>;
  ASSETS_HANDED_OVER: { readonly assets: readonly HandedAsset[] };
  ASSETS_HAND_OVER_ROLLED_BACK: { readonly assets: readonly HandedAsset[] };
  ROTATION_ANNOUNCED: RotationData & {
    readonly reason: string;
    readonly compromised: boolean;
    readonly startsAt: string;
    readonly contractAddress: string;
  };
  ROTATION_CANCELLED: RotationData;
  ROTATION_BEGUN: RotationData;
  CUSTODY_CHANGED: RotationData & { readonly from: string; readonly to: string };
  ROTATION_FINISHED: RotationData & { readonly contractAddress: string };
  ROTATION_REOPENED: RotationData;
}

interface NamedAsset {
  readonly assetId: string;
  readonly policyId: string;
  /** Hex. */
  readonly assetName: string;
}

interface AssetData extends NamedAsset {
  readonly assetType: string;
  readonly quantityBaseUnits: string;
}

interface InvestmentData {
  readonly investmentId: string;
  readonly lovelace: string;
}

interface DepositData {
  readonly depositId: string;
  readonly depositKind: DepositKind;
}

interface DepositsData<Payment> {
  readonly deposits: readonly (DepositData & { readonly payment: Payment })[];
}

/** What events of assets and investments say; amounts are texts. */
interface DepositEventData {
  ASSET_ADD_STARTED: NamedAsset;
  ASSET_ADDED: AssetData;
  ASSET_ADD_ROLLED_BACK: AssetData;
  ASSET_ADD_EXPIRED: AssetData;
  ASSET_PRICED: NamedAsset & { readonly price: string; readonly source: string; readonly asOf: string };
  ASSET_REMOVE_STARTED: NamedAsset;
  ASSET_REMOVED: AssetData;
  ASSET_REMOVE_ROLLED_BACK: AssetData;
  ASSET_REMOVE_EXPIRED: AssetData;
  DUPLICATE_RETURN_STARTED: { readonly output: string; readonly to: string };
  INVESTMENT_STARTED: InvestmentData;
  INVESTMENT_MADE: InvestmentData;
  INVESTMENT_ROLLED_BACK: InvestmentData;
  INVESTMENT_EXPIRED: InvestmentData;
  INVESTMENT_REMOVE_STARTED: InvestmentData;
  INVESTMENT_REMOVED: InvestmentData;
  INVESTMENT_REMOVE_ROLLED_BACK: InvestmentData;
  INVESTMENT_REMOVE_EXPIRED: InvestmentData;
  DEPOSITS_DELIVERED: DepositsData<DeliveredPayment>;
  DEPOSITS_DELIVERY_ROLLED_BACK: DepositsData<DeliveredPayment>;
  DEPOSITS_REFUNDED: DepositsData<RefundedPayment>;
  DEPOSITS_REFUND_ROLLED_BACK: DepositsData<RefundedPayment>;
  DEPOSIT_RECLAIMED: DepositData;
  DEPOSIT_RECLAIM_ROLLED_BACK: DepositData;
}

interface StakeData {
  readonly stakeId: string;
  readonly amountBaseUnits: string;
}

interface ClaimData {
  readonly claimId: string;
  readonly amountBaseUnits: string;
  readonly payoutLovelace: string;
}

interface VotesData {
  readonly proposalId: string;
  readonly votes: number;
}

interface ExecutionData {
  readonly proposalId: string;
  readonly executionId: string;
}

interface ExecutionOnLedger extends ExecutionData {
  readonly type: ProposalType;
  readonly assetIds: readonly string[];
  readonly cause?: string;
}

interface CosignedExecution extends ExecutionData {
  readonly type: ProposalType;
  readonly cosigners: readonly string[];
}

/** What events of stakes, claims, proposals, votes and executions say; amounts are texts. */
interface GovernanceEventData {
  STAKE_STARTED: StakeData;
  STAKE_CONFIRMED: StakeData;
  STAKE_FINAL: StakeData;
  STAKE_ROLLED_BACK: StakeData;
  STAKE_EXPIRED: StakeData;
  STAKE_RETURN_STARTED: StakeData;
  STAKE_RELEASED: StakeData;
  STAKE_RECLAIMED: StakeData;
  STAKE_RETURN_ROLLED_BACK: StakeData;
  STAKE_RETURN_EXPIRED: StakeData;
  STAKE_UNLOCKED: StakeData;
  CLAIM_STARTED: ClaimData;
  CLAIM_CONFIRMED: ClaimData;
  CLAIM_ROLLED_BACK: ClaimData;
  CLAIM_EXPIRED: ClaimData;
  PROPOSAL_CREATED: {
    readonly proposalId: string;
    readonly type: ProposalType;
    readonly title: string;
    readonly status: ProposalStatus;
  };
  PROPOSAL_ENDORSED: { readonly proposalId: string; readonly powerBaseUnits: string };
  PROPOSAL_STATUS_CHANGED: {
    readonly proposalId: string;
    readonly status: ProposalStatus;
    readonly reason: string | null;
  };
  VOTE_CAST: {
    readonly voteId: string;
    readonly proposalId: string;
    readonly decision: VoteDecision;
    readonly amountBaseUnits: string;
    /** The vote of the same wallet that it replaces. */
    readonly replaces: string | null;
  };
  VOTE_REVOKED: { readonly voteId: string; readonly proposalId: string };
  VOTES_CONFIRMED: VotesData;
  VOTES_ROLLED_BACK: VotesData;
  EXECUTION_FROZEN: CosignedExecution;
  EXECUTION_VOIDED: ExecutionData & { readonly cause: string };
  EXECUTION_SENT: CosignedExecution;
  EXECUTION_CONFIRMED: ExecutionOnLedger;
  EXECUTION_ROLLED_BACK: ExecutionOnLedger;
  EXECUTION_FAILED: ExecutionOnLedger;
  EXECUTION_LANDED_LATE: ExecutionOnLedger;
}
