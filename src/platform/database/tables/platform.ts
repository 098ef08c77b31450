import type { ColumnType, Generated } from 'kysely';
import type { FreeActionKind } from '../../../access/rules/free-action.ts';
import type { Amount, NullableAmount, Timestamp } from './columns.ts';

export interface PlatformTable {
  id: Generated<boolean>;
  network: string;
  operator_address: string;
  operator_key_hash: string;
  confirmation_depth: Generated<number>;
}

export interface ClockOffsetTable {
  id: Generated<boolean>;
  offset_ms: Amount;
}

export interface WorkerPresenceTable {
  worker_id: string;
  seen_at: Date;
}

export interface LedgerHoldTable {
  only_row: Generated<boolean>;
  since: Timestamp;
  tip_height: Amount;
  fork_height: NullableAmount;
  accepted_from: NullableAmount;
}

export interface FreeActionsTable {
  id: Generated<string>;
  wallet: string;
  kind: FreeActionKind;
  at: Timestamp;
}

export interface OperatorFundsTable {
  day: ColumnType<string, never, never>;
  held: Amount;
  spent: Amount;
  seen_at: Timestamp;
  seen_lower: NullableAmount;
}

export interface PlatformTables {
  operator_funds: OperatorFundsTable;
  free_actions: FreeActionsTable;
  platform: PlatformTable;
  clock_offset: ClockOffsetTable;
  worker_presence: WorkerPresenceTable;
  ledger_hold: LedgerHoldTable;
}
