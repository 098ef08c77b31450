import type { Generated } from 'kysely';
import type { HandedAsset } from '../../../termination/rules/handed-assets.ts';
import type { TerminationEnd } from '../../../termination/rules/termination-end.ts';
import type { Amount, AmountWithDefault, Json, NullableText, NullableTimestamp, Timestamp } from './columns.ts';

export interface TerminationsTable {
  vault_id: string;
  decided_at: Timestamp;
  remaining_assets_to: NullableText;
  unclaimed_lovelace_to: NullableText;
  handed_assets: Json<readonly HandedAsset[]>;
  claim_seconds: number;
  /** What the operator added for the min-ADA of outputs of the pot, and gets back. */
  float_lovelace: AmountWithDefault;
  /** Credits of final transactions, less the claims on the ledger. */
  pot_lovelace: AmountWithDefault;
  /** Base units that holders have; 0 until the claims open. */
  circulating: AmountWithDefault;
  claims_opened_at: NullableTimestamp;
  claim_deadline: NullableTimestamp;
  /** By how much signed claims that did not land have moved the deadline. */
  grace_seconds: Generated<number>;
  /** By how much sales have moved it. */
  sale_seconds: Generated<number>;
  ended_because: NullableText<TerminationEnd>;
  claims_ended_at: NullableTimestamp;
  /** Whether the platform has no key for the liquidity share; null until the claims open. */
  liquidity_elsewhere: boolean | null;
}

export interface ClaimsTable {
  id: string;
  vault_id: string;
  wallet: string;
  /** Base units. */
  amount: Amount;
  /** Lovelace. */
  payout: Amount;
  status: 'PENDING' | 'PAID' | 'EXPIRED' | 'FAILED';
  claim_transaction_id: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface TerminationTables {
  terminations: TerminationsTable;
  claims: ClaimsTable;
}
