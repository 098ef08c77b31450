import type { ColumnType, JSONColumnType, Generated, GeneratedAlways } from 'kysely';
import type { DifferenceCode, DifferenceKind } from '../../../books/rules/books.ts';
import type { EventType } from '../../../events/queries/event-types.ts';
import type { PausedArea } from '../../../operations/rules.ts';
import type { WorkflowMessage } from '../../temporal/messages.ts';
import type { WorkflowId } from '../../temporal/workflow-ids.ts';
import type { AnchoredActionKind } from '../../../proposals/rules/proposal.ts';
import type { AnnouncementKind } from '../../../versions/rules.ts';

/** A numeric or int8 column: pg reads it as text, code writes a bigint. */
export type Amount = ColumnType<string, bigint, bigint>;
/** An amount that may be left out of an insert. */
export type AmountWithDefault = ColumnType<string, bigint | undefined, bigint>;
export type NullableAmount = ColumnType<string | null, bigint | null | undefined, bigint | null>;
export type Timestamp = ColumnType<Date, Date, Date>;
export type NullableTimestamp = ColumnType<Date | null, Date | null | undefined, Date | null>;
/** A column that may be left out of an insert. */
export type NullableText<Text extends string = string> = ColumnType<Text | null, Text | null | undefined, Text | null>;
/** A jsonb column: read as `T`, written as JSON text. */
export type Json<T extends object> = JSONColumnType<T>;
export type NullableJson<T extends object> = ColumnType<T | null, string | null | undefined, string | null>;
/** Amounts of a JSON column, each as decimal text. */
export type AmountTexts<Field extends string> = Readonly<Record<Field, string>>;

interface PlatformTable {
  id: Generated<boolean>;
  network: string;
  operator_address: string;
  operator_key_hash: string;
  confirmation_depth: Generated<number>;
}

interface ClockOffsetTable {
  id: Generated<boolean>;
  offset_ms: Amount;
}

interface WorkerPresenceTable {
  worker_id: string;
  seen_at: Date;
}

interface LedgerHoldTable {
  only_row: Generated<boolean>;
  since: Timestamp;
  tip_height: Amount;
  fork_height: NullableAmount;
  accepted_from: NullableAmount;
}

interface AnchoredActionsTable {
  id: Generated<string>;
  wallet: string;
  kind: AnchoredActionKind;
  at: Timestamp;
}

interface OperatorFundsTable {
  day: ColumnType<string, never, never>;
  held: Amount;
  spent: Amount;
  seen_at: Timestamp;
  seen_lower: NullableAmount;
}

export interface PlatformTables {
  operator_funds: OperatorFundsTable;
  anchored_actions: AnchoredActionsTable;
  platform: PlatformTable;
  clock_offset: ClockOffsetTable;
  worker_presence: WorkerPresenceTable;
  ledger_hold: LedgerHoldTable;
}

export interface PauseTables {
  pauses: { area: PausedArea; reason: string; since: Timestamp };
}

interface WorkflowNoticesTable {
  id: string;
  workflow_id: WorkflowId;
  message: Json<WorkflowMessage>;
  created_at: ColumnType<Date, Date | undefined, never>;
  sent_at: NullableTimestamp;
}

interface OutboxTable {
  id: string;
  seq: NullableAmount;
  type: EventType;
  vault_id: string | null;
  actor: string;
  /** Other wallets that it concerns; null for none. */
  wallets: NullableJson<string[]>;
  transaction_hash: string | null;
  correlation_id: string;
  data: Json<object>;
  occurred_at: Timestamp;
}

export interface AuditLogTable {
  id: string;
  seq: NullableAmount;
  action: string;
  actor_id: string;
  actor_type: 'API_KEY' | 'WALLET' | 'SYSTEM';
  resource_type: string;
  resource_id: string;
  metadata: Json<object>;
  at: Timestamp;
  previous_hash: string | null;
  hash: string | null;
  /** Real time; null until it is chained. */
  chained_at: NullableTimestamp;
}

/** The entries of the audit chain that are anchored on the ledger. */
interface AuditAnchorsTable {
  seq: Amount;
  hash: string;
  fact_id: string;
}

export interface OutboxTables {
  workflow_notices: WorkflowNoticesTable;
  outbox: OutboxTable;
  audit_log: AuditLogTable;
  audit_anchors: AuditAnchorsTable;
}

/** Requests to a version in one day. */
interface VersionUsageTable {
  day: Timestamp;
  version: string;
  requests: Amount;
  errors: Amount;
  duration_ms: Amount;
}

/** An API key that used a version in one day. */
interface VersionClientsTable {
  day: Timestamp;
  version: string;
  api_key_id: string;
}

interface AnnouncementsTable {
  id: string;
  kind: AnnouncementKind;
  version: string;
  message: string;
  effective_at: NullableTimestamp;
  link: NullableText;
  created_by: string;
  created_at: Timestamp;
}

export interface FeatureFlagsTable {
  name: string;
  enabled: boolean;
  version: string;
  /** Basis points. */
  rollout: number;
  client_ids: string[];
  environments: string[];
  starts_at: NullableTimestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface VersionTables {
  version_usage: VersionUsageTable;
  version_clients: VersionClientsTable;
  announcements: AnnouncementsTable;
  feature_flags: FeatureFlagsTable;
}

export interface ReconciliationsTable {
  id: string;
  started_by: 'schedule' | 'operator';
  started_at: Timestamp;
  ended_at: NullableTimestamp;
  vaults: Generated<number>;
  /** The planned vaults up to this position are compared. */
  last_position: Generated<number>;
  /** Of the planned ones, when it ended. */
  vaults_left: Generated<number>;
}

interface ReconciliationVaultsTable {
  reconciliation_id: string;
  position: number;
  vault_id: string;
}

interface VaultComparisonsTable {
  vault_id: string;
  compared_at: Timestamp;
}

interface ReconciliationDifferencesTable {
  id: GeneratedAlways<string>;
  reconciliation_id: string;
  vault_id: string;
  kind: DifferenceKind;
  code: DifferenceCode;
  subject: string;
  books: string;
  ledger: string;
}

export interface ReconciliationTables {
  reconciliations: ReconciliationsTable;
  reconciliation_differences: ReconciliationDifferencesTable;
  reconciliation_vaults: ReconciliationVaultsTable;
  vault_comparisons: VaultComparisonsTable;
}
