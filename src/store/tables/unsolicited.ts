import type { ColumnType, JSONColumnType } from 'kysely';

type Timestamp = ColumnType<Date, Date, Date>;
type NullableTimestamp = ColumnType<Date | null, Date | null | undefined, Date | null>;

export interface UnsolicitedOutputsTable {
  tx_hash: string;
  output_index: number;
  vault_id: string;
  place: string;
  depositor: string | null;
  address: string;
  lovelace: ColumnType<string, bigint, bigint>;
  /** Quantity as text by unit. */
  assets: JSONColumnType<object>;
  seen_at: Timestamp;
  /** Since when it is not among the unspent outputs of the ledger. */
  gone_at: NullableTimestamp;
  return_transaction_id: ColumnType<string | null, string | null | undefined, string | null>;
  /** Set while the transaction that returns it is on the ledger. */
  returned_at: NullableTimestamp;
}

/** The tables of migration 0011. */
export interface UnsolicitedTables {
  unsolicited_outputs: UnsolicitedOutputsTable;
}
