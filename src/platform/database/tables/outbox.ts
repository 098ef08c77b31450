import type { ColumnType } from 'kysely';
import type { WorkflowMessage } from '../../temporal/messages.ts';
import type { WorkflowId } from '../../temporal/workflow-ids.ts';
import type { EventType } from '../../../events/queries/event-types.ts';
import type { Amount, Json, NullableAmount, NullableJson, NullableTimestamp, Timestamp } from './columns.ts';

export interface WorkflowNoticesTable {
  id: string;
  workflow_id: WorkflowId;
  message: Json<WorkflowMessage>;
  created_at: ColumnType<Date, Date | undefined, never>;
  sent_at: NullableTimestamp;
}

export interface OutboxTable {
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
export interface AuditAnchorsTable {
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
