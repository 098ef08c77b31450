import { sql } from 'kysely';
import type { WorkflowMessage } from './messages.ts';
import type { WorkflowId } from './workflow-ids.ts';
import { anyOf } from '../database/statements.ts';
import type { Db, Transaction } from '../database/database.ts';
import { deleteOldRows } from '../database/delete-old-rows.ts';
import type { TransactionContext } from '../database/unit-of-work.ts';

export interface WorkflowOutboxEntry {
  id: string;
  workflowId: WorkflowId;
  message: WorkflowMessage;
}

/** Adds a message to the workflow outbox; the relay sends it after this transaction commits. */
export async function enqueueWorkflowMessage(
  context: Pick<TransactionContext, 'tx' | 'ids'>,
  workflowId: WorkflowId,
  message: WorkflowMessage,
): Promise<void> {
  await workflowMessageInsert(context, workflowId, message).execute();
}

/** Lets a workflow read again what it waits for. */
export function signalTransactionChanged(
  context: Pick<TransactionContext, 'tx' | 'ids'>,
  workflowId: WorkflowId,
): Promise<void> {
  return enqueueWorkflowMessage(context, workflowId, { kind: 'signal', signal: 'transactionChanged' });
}

/** The statement of `enqueueWorkflowMessage`. */
export function workflowMessageInsert(
  { tx, ids }: Pick<TransactionContext, 'tx' | 'ids'>,
  workflowId: WorkflowId,
  message: WorkflowMessage,
) {
  const row = { id: ids.next(), workflow_id: workflowId, message: JSON.stringify(message) };
  return tx.insertInto('workflow_notices').values(row);
}

/** Whether a message is to be sent, perhaps by another process. */
export async function hasUnsentMessages(db: Db): Promise<boolean> {
  const unsent = db.selectFrom('workflow_notices').select('id').where('sent_at', 'is', null);
  return (await unsent.where(isOlderThan(0)).limit(1).execute()).length > 0;
}

/** Locks the oldest unsent messages, except those that another process is sending. */
export async function claimUnsentMessages(
  tx: Transaction,
  { limit, minAgeMs = 0, except = [] }: OutboxFilter,
): Promise<WorkflowOutboxEntry[]> {
  const rows = await tx
    .selectFrom('workflow_notices')
    .select(['id', 'workflow_id', 'message'])
    .where('sent_at', 'is', null)
    .where(isOlderThan(minAgeMs))
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

const MAX_AHEAD_MS = 60_000;

/** One that is dated further ahead was stored while the clock of Postgres was ahead: it would wait until then. */
function isOlderThan(ms: number) {
  return sql<boolean>`(created_at <= ${nowPlus(-ms)} or created_at > ${nowPlus(MAX_AHEAD_MS)})`;
}

function nowPlus(ms: number) {
  return sql<Date>`clock_timestamp() + make_interval(secs => ${ms / 1000})`;
}

export interface OutboxFilter {
  limit: number;
  minAgeMs?: number;
  /** Workflows whose messages are left out. */
  except?: readonly WorkflowId[];
}

export async function markMessagesSent(tx: Transaction, messageIds: string[]): Promise<void> {
  await tx
    .updateTable('workflow_notices')
    .set({ sent_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', anyOf(messageIds))
    .execute();
}

/** Deletes messages that were sent over an hour ago, also starts: Temporal knows which workflows were started. */
export function deleteSentMessages(db: Db): Promise<number> {
  // `clock_timestamp()` changes from row to row, so no index could serve it.
  return deleteOldRows(db, {
    table: 'workflow_notices',
    column: 'sent_at',
    until: sql<Date>`now() - interval '1 hour'`,
  });
}
