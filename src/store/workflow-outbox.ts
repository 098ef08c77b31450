import { sql } from 'kysely';
import type { Ids } from '../domain/units/ids.ts';
import type { WorkflowMessage } from '../temporal/messages.ts';
import type { WorkflowId } from '../temporal/workflow-ids.ts';
import type { Db, Transaction } from './database.ts';

export interface WorkflowOutboxEntry {
  id: string;
  workflowId: WorkflowId;
  message: WorkflowMessage;
}

/** Records that a workflow has to hear something once this transaction commits. */
export async function enqueueWorkflowMessage(
  tx: Transaction,
  ids: Ids,
  workflowId: WorkflowId,
  message: WorkflowMessage,
): Promise<void> {
  const row = { id: ids.next(), workflow_id: workflowId, message: JSON.stringify(message) };
  await tx.insertInto('workflow_notices').values(row).execute();
}

/** The oldest notices that were not sent, skipping those another process is sending. */
export async function claimUnsentMessages(
  tx: Transaction,
  { limit, minAgeMs = 0, except = [] }: OutboxFilter,
): Promise<WorkflowOutboxEntry[]> {
  const rows = await tx
    .selectFrom('workflow_notices')
    .select(['id', 'workflow_id', 'message'])
    .where('sent_at', 'is', null)
    .where('created_at', '<=', sql<Date>`clock_timestamp() - make_interval(secs => ${minAgeMs / 1000})`)
    .where(sql<boolean>`workflow_id <> all(${except}::text[])`)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  return rows.map((row) => ({
    id: row.id,
    workflowId: row.workflow_id,
    message: row.message,
  }));
}

export interface OutboxFilter {
  limit: number;
  minAgeMs?: number;
  /** Workflows whose notices are left out. */
  except?: readonly WorkflowId[];
}

export async function markMessagesSent(tx: Transaction, noticeIds: string[]): Promise<void> {
  await tx
    .updateTable('workflow_notices')
    .set({ sent_at: sql<Date>`clock_timestamp()` })
    .where('id', 'in', noticeIds)
    .execute();
}

/** Forgets notices that were sent over an hour ago, starts among them: that a workflow was started, Temporal knows. */
export async function deleteSentMessages(db: Db): Promise<void> {
  // Not by `clock_timestamp()`, which changes from row to row, so that no index serves it.
  await db
    .deleteFrom('workflow_notices')
    .where('sent_at', '<', sql<Date>`now() - interval '1 hour'`)
    .execute();
}
