import type { Payments } from './deposit-payments.ts';
import type { ReturnedDeposit } from '../../../settlement/rules/counted-deposits.ts';
import type { DepositKind } from '../../../settlement/rules/deposit-kind.ts';
import type { Revision } from '../../../settlement/rules/revision.ts';
import type {
  Amount,
  AmountTexts,
  Json,
  NullableAmount,
  NullableJson,
  NullableText,
  NullableTimestamp,
  Timestamp,
} from './columns.ts';

/** A stored distribution: the figures that later steps need, and everything else as it was computed. */
export type StoredPlan = AmountTexts<'value' | 'invested' | 'lpLovelace' | 'lpFt'> &
  Readonly<Record<string, unknown>> & { readonly returned: readonly ReturnedDeposit[] };

export interface SettlementsTable {
  vault_id: string;
  distribution: Json<StoredPlan>;
  planned_at: Timestamp;
  revision: NullableJson<AmountTexts<keyof Omit<Revision, 'contributors'>>>;
  revised_at: NullableTimestamp;
}

export interface EntitlementsTable {
  vault_id: string;
  deposit_id: string;
  deposit_kind: DepositKind;
  wallet: string;
  position: number;
  ft: Amount;
  lovelace: Amount;
  /** Null while the plan is not revised. */
  revised_lovelace: NullableAmount;
}

export interface TransactionDepositsTable {
  transaction_id: string;
  deposit_id: string;
  deposit_kind: DepositKind;
  payment: Json<Payments[keyof Payments]>;
}

/** How far the reclaimed deposits of a vault were checked against the ledger. */
export interface ReclaimChecksTable {
  vault_id: string;
  /** A followed block. While it is on the ledger, what was checked is as it was. */
  block_height: Amount;
  block_hash: string;
  /** The deposit after which the check goes on; null when it is complete. */
  after: NullableText;
}

export interface SettlementTables {
  reclaim_checks: ReclaimChecksTable;
  settlements: SettlementsTable;
  entitlements: EntitlementsTable;
  transaction_deposits: TransactionDepositsTable;
}
