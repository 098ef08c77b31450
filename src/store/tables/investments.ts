import type { InvestmentReleaseReason, InvestmentStatus } from '../../domain/investment/investment.ts';
import type { Amount, Timestamp } from './columns.ts';

export interface InvestmentsTable {
  id: string;
  vault_id: string;
  wallet: string;
  lovelace: Amount;
  delivery_deposit: Amount;
  status: InvestmentStatus;
  /** Migration 0010. */
  release_reason: InvestmentReleaseReason | null;
  transaction_id: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface InvestmentTables {
  investments: InvestmentsTable;
}
