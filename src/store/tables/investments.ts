import type { InvestmentReleaseReason, InvestmentStatus } from '../../domain/investment/investment.ts';
import type { InvestmentReturnReason } from '../../domain/settlement/counted-deposits.ts';
import type { Amount, AmountWithDefault, NullableAmount, NullableText, Timestamp } from './columns.ts';

export interface InvestmentsTable {
  id: string;
  vault_id: string;
  wallet: string;
  lovelace: Amount;
  delivery_deposit: Amount;
  status: InvestmentStatus;
  /** Migration 0010. */
  release_reason: InvestmentReleaseReason | null;
  /** Migration 0053: the owner's transaction, if `release_reason` is reclaimed. */
  reclaim_hash: NullableText;
  transaction_id: string;
  /** Migration 0019. */
  min_vault_value: AmountWithDefault;
  remove_transaction_id: NullableText;
  return_reason: NullableText<InvestmentReturnReason>;
  /** Migration 0025. */
  max_fdv: NullableAmount;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface InvestmentTables {
  investments: InvestmentsTable;
}
