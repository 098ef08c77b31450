import type { ProposalStatus, ProposalType } from '../domain/proposal/proposal.ts';
import type { DepositKind } from '../domain/settlement/deposit-kind.ts';
import type { TransactionKind } from '../domain/transaction/transaction-state.ts';
import type { HoldReason } from '../domain/vault/hold.ts';
import type { TerminationReason, VaultStatus } from '../domain/vault/vault.ts';
import type { WindowKind, WindowStatus } from '../domain/vault/window.ts';
import type { VoteDecision } from '../domain/vote/vote.ts';
import type { EventType } from './event-types.ts';

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

interface StakeData {
  readonly stakeId: string;
  readonly amountBaseUnits: string;
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

interface DepositData {
  readonly depositId: string;
  readonly depositKind: DepositKind;
}

interface DepositsData {
  readonly deposits: readonly (DepositData & { readonly payment: Readonly<Record<string, unknown>> })[];
}

/** The types of events that say the same as this one. */
export type EventTypeLike<Type extends EventType> = {
  [Other in EventType]: EventData[Other] extends EventData[Type]
    ? EventData[Type] extends EventData[Other]
      ? Other
      : never
    : never;
}[EventType];

/** What an event of each type says; amounts are texts. */
export interface EventData {
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
  ASSET_ADD_STARTED: NamedAsset;
  ASSET_ADDED: AssetData;
  ASSET_ADD_ROLLED_BACK: AssetData;
  ASSET_ADD_EXPIRED: AssetData;
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
  TRANSACTION_SIGNED: { readonly kind: TransactionKind };
  TRANSACTION_WITHDRAWN: { readonly kind: TransactionKind };
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
  SETTLEMENT_PLANNED: { readonly value: string; readonly invested: string; readonly fdv: string };
  DEPOSITS_DELIVERED: DepositsData;
  DEPOSITS_DELIVERY_ROLLED_BACK: DepositsData;
  DEPOSITS_REFUNDED: DepositsData;
  DEPOSITS_REFUND_ROLLED_BACK: DepositsData;
  DEPOSIT_RECLAIMED: DepositData;
  DEPOSIT_RECLAIM_ROLLED_BACK: DepositData;
  SETTLEMENT_REVISED: {
    readonly reclaimedInvestments: readonly string[];
    readonly invested: string;
    readonly lpLovelace: string;
    readonly contributorsLovelace: string;
    readonly contributors: readonly { readonly assetId: string; readonly lovelace: string }[];
  };
}
