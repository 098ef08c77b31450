import type { ColumnType, Generated } from 'kysely';
import type { StoredUtxo } from '../../../transactions/queries/stored-utxo.ts';
import type { Json, Timestamp } from './columns.ts';

export interface AnchorLanesTable {
  id: string;
  /** The process that may put batches into the lane; null when the lane is free. */
  holder: string | null;
  held_until: Timestamp;
  /** The output that the next anchor spends. */
  tip: Json<StoredUtxo>;
  /** The day (UTC, real time) of `spent`; null before the first. */
  spent_on: ColumnType<string | null, never, string>;
  /** What its anchors have cost on that day, in lovelace. */
  spent: ColumnType<string, never, string>;
}

export interface AnchorBatchesTable {
  id: string;
  lane_id: string;
  /** Orders the batches of a lane. */
  number: Generated<string>;
  /** The transaction that carries it at present. */
  transaction_id: string;
  root: string;
  facts: number;
  /** Whether its transaction is in a block. */
  landed: Generated<boolean>;
}

/** Every transaction that was built to carry a batch. */
export interface AnchorAttemptsTable {
  transaction_id: string;
  batch_id: string;
}

export interface AnchorFactsTable {
  id: string;
  batch_id: string;
  position: number;
  vault_id: string | null;
  /** The canonical text. */
  fact: string;
  /** Hex. */
  leaf: string;
}

export interface AnchorTables {
  anchor_lanes: AnchorLanesTable;
  anchor_batches: AnchorBatchesTable;
  anchor_attempts: AnchorAttemptsTable;
  anchor_facts: AnchorFactsTable;
}
