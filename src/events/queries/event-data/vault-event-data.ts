import type { HandedAsset } from '../../../termination/rules/handed-assets.ts';
import type { TerminationEnd } from '../../../termination/rules/termination-end.ts';
import type { TransactionKind, TransactionState } from '../../../transactions/rules/transaction-state.ts';
import type { HoldReason } from '../../../vaults/rules/hold.ts';
import type { TerminationReason, VaultStatus } from '../../../vaults/rules/vault.ts';
import type { WindowKind, WindowStatus } from '../../../vaults/rules/window.ts';

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
export interface VaultEventData {
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
