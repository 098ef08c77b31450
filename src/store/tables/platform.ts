import type { Generated } from 'kysely';
import type { Amount, NullableAmount, Timestamp } from './columns.ts';

export interface PlatformTable {
  id: Generated<boolean>;
  network: string;
  operator_address: string;
  operator_key_hash: string;
  /** Migration 0057. */
  confirmation_depth: Generated<number>;
}

export interface ClockOffsetTable {
  id: Generated<boolean>;
  offset_ms: Amount;
}

export interface WorkerPresenceTable {
  only_row: Generated<boolean>;
  seen_at: Date;
}

/** Migration 0029. */
export interface LedgerHoldTable {
  only_row: Generated<boolean>;
  since: Timestamp;
  tip_height: Amount;
  fork_height: NullableAmount;
  accepted_from: NullableAmount;
}

export interface PlatformTables {
  platform: PlatformTable;
  clock_offset: ClockOffsetTable;
  worker_presence: WorkerPresenceTable;
  ledger_hold: LedgerHoldTable;
}
