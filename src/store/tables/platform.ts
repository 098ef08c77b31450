import type { Generated } from 'kysely';
import type { Amount } from './columns.ts';

export interface PlatformTable {
  id: Generated<boolean>;
  network: string;
  operator_address: string;
  operator_key_hash: string;
}

export interface ClockOffsetTable {
  id: Generated<boolean>;
  offset_ms: Amount;
}

export interface WorkerPresenceTable {
  only_row: Generated<boolean>;
  seen_at: Date;
}

export interface PlatformTables {
  platform: PlatformTable;
  clock_offset: ClockOffsetTable;
  worker_presence: WorkerPresenceTable;
}
