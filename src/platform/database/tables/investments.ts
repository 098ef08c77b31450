import type { InvestmentReleaseReason, InvestmentStatus } from '../../../investments/rules/investment.ts';
import type { InvestmentReturnReason } from '../../../settlement/rules/counted-deposits.ts';
import type { Amount, AmountWithDefault, NullableAmount, NullableText, Timestamp } from './columns.ts';

export interface InvestmentsTable {
  id: string;
  vault_id: string;
  wallet: string;
  lovelace: Amount;
  delivery_deposit: Amount;
  status: InvestmentStatus;
  release_reason: InvestmentReleaseReason | null;
  /** The owner's transaction, if `release_reason` is reclaimed. */
  reclaim_hash: NullableText;
  transaction_id: string;
  min_vault_value: AmountWithDefault;
  remove_transaction_id: NullableText;
  return_reason: NullableText<InvestmentReturnReason>;
  max_fdv: NullableAmount;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface InvestmentTables {
  investments: InvestmentsTable;
}
