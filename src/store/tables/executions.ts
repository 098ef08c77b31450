import type { ColumnType, JSONColumnType } from 'kysely';

type Timestamp = ColumnType<Date, Date, Date>;
type NullableTimestamp = ColumnType<Date | null, Date | null | undefined, Date | null>;
type NullableJson = ColumnType<object | null, string | null, string | null>;

export interface ExecutionsTable {
  id: string;
  proposal_id: string;
  vault_id: string;
  transaction_id: string;
  frozen_by: string;
  executed_by: string | null;
  /** As it was sent. */
  action: JSONColumnType<object>;
  type: string;
  asset_ids: string[];
  /** Amounts as text; nothing is open any more. */
  terms: JSONColumnType<object>;
  cosigners: JSONColumnType<object>;
  partner: NullableJson;
  bought: NullableJson;
  status: string;
  reason: string | null;
  created_at: Timestamp;
  executed_at: NullableTimestamp;
}

/** The table of migration 0008. */
export interface ExecutionTables {
  executions: ExecutionsTable;
}
