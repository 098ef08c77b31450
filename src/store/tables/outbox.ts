import type { ColumnType } from 'kysely';
import type { WorkflowMessage } from '../../temporal/messages.ts';
import type { WorkflowId } from '../../temporal/workflow-ids.ts';
import type { EventType } from '../event-types.ts';
import type { Json, NullableAmount, NullableTimestamp, Timestamp } from './columns.ts';

export interface WorkflowNoticesTable {
  id: string;
  workflow_id: WorkflowId;
  message: Json<WorkflowMessage>;
  created_at: ColumnType<Date, never, never>;
  sent_at: NullableTimestamp;
}

export interface OutboxTable {
  id: string;
  seq: NullableAmount;
  type: EventType;
  vault_id: string | null;
  actor: string;
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
}

export interface OutboxTables {
  workflow_notices: WorkflowNoticesTable;
  outbox: OutboxTable;
  audit_log: AuditLogTable;
}
