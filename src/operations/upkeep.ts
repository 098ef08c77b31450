import { anchorAuditLog } from '../access/audit.ts';
import { anchoredActionsCountSince } from '../proposals/rules/proposal.ts';
import { rebalanceOperatorUtxos, publishVaultKeys } from './operator-funds.ts';
import { deleteExpired, type UnendedWorkflow, unendedWorkflows } from './queries.ts';
import { runAll, settleAll, throwFailures } from '../platform/errors.ts';
import type { WorkflowStart } from '../platform/temporal/messages.ts';
import type { RunEnd } from '../platform/temporal/running-workflows.ts';
import { ledgerFollowerId } from '../platform/temporal/workflow-ids.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { eraseDeletedVaults } from '../vaults/end-vault.ts';
import { wakeHeldVaults } from '../vaults/wake-held-vaults.ts';
import type { WorkerContext } from '../worker-context.ts';

/** A younger message is still on its usual way. */
const LOST_AFTER_MS = 2000;

/** Does the regular upkeep; returns how many lost messages were sent. Throws at the end when a part of it has failed. */
export async function sweep(context: WorkerContext): Promise<number> {
  let sent = 0;
  // Lost messages wait for no deletion. What depends on the ledger and the price feed comes last, because these may be unavailable or slow.
  const parts = [
    () => publishVaultKeys(context.db, context.keys),
    async () => eraseDeletedVaults(context.db, await context.readingTime()),
    async () => (sent = await context.outboxRelay.deliverAll({ minAgeMs: LOST_AFTER_MS })),
    () => deleteRows(context),
    () => rebalanceOperatorUtxos(context),
    () => anchorAuditLog(context),
    () => wakeHeldVaults(context),
  ];
  await runAll(parts, 1);
  context.outboxRelay.deliver();
  return sent;
}

async function deleteRows({ db, readingTime, eventsKeptDays }: WorkerContext): Promise<void> {
  await deleteExpired(db, { eventsKeptDays, anchoredActionsSince: anchoredActionsCountSince(await readingTime()) });
}

/** So many calls at once. */
const CONCURRENT = 20;

/**
 * Starts again what Postgres says has something left to do and Temporal does not run: a workflow that was terminated or failed, that
 * Temporal lost, or that is stuck (design D46). A workflow reads its state from Postgres, so one that is started for nothing ends again. Returns how many. One
 * that cannot be asked for or started keeps no other waiting; throws an AggregateError at the end.
 */
export async function restartLostWorkflows(context: WorkerContext): Promise<number> {
  const { db, runningWorkflows } = context;
  // Read first: what is listed as running afterwards was started by then.
  const before = await unendedWorkflows(db);
  const running = await runningWorkflows.list();
  const missing = before.filter(({ workflowId, kind }) => running.get(workflowId) !== kind);
  let restarted = await restartFollower(context, running);
  const ends = new Map<UnendedWorkflow, RunEnd>();
  const failures = await settleAll(missing, CONCURRENT, async (workflow) => {
    const end = await runningWorkflows.endOf(workflow.workflowId, workflow.kind);
    if (end !== null) ends.set(workflow, end);
  });
  // Those that have ended as they should in the meantime are not among them any more.
  const unended = ends.size === 0 ? [] : await unendedWorkflows(db);
  const stillUnended = new Set(unended.map(({ workflowId }) => workflowId));
  const lost = [...ends].filter(([{ workflowId }]) => stillUnended.has(workflowId));
  const unstarted = await settleAll(lost, 1, async ([workflow, end]) => {
    if (end === 'STUCK') await runningWorkflows.terminate(workflow.workflowId);
    await context.unitOfWork((work) => enqueueWorkflowMessage(work, workflow.workflowId, startOf(workflow)));
    context.onLostWorkflow({ workflowId: workflow.workflowId, kind: workflow.kind, end });
    restarted += 1;
  });
  context.outboxRelay.deliver();
  throwFailures([...failures, ...unstarted]);
  return restarted;
}

async function restartFollower(context: WorkerContext, running: ReadonlyMap<string, string>): Promise<number> {
  const { runningWorkflows, onLostWorkflow } = context;
  const kind = 'ledgerFollower';
  if (running.get(ledgerFollowerId) === kind) return 0;
  const end = await runningWorkflows.endOf(ledgerFollowerId, kind);
  if (end === null) return 0;
  if (end === 'STUCK') await runningWorkflows.terminate(ledgerFollowerId);
  await runningWorkflows.startLedgerFollower();
  onLostWorkflow({ workflowId: ledgerFollowerId, kind, end });
  return 1;
}

function startOf({ kind, id, vaultId }: UnendedWorkflow): WorkflowStart {
  const start = { kind: 'start', again: true } as const;
  if (kind === 'anchorSubmitter') return { ...start, workflow: kind, anchorChainId: id };
  if (kind === 'transaction') return { ...start, workflow: kind, transactionId: id, vaultId };
  if (vaultId === null) throw new Error(`the ${kind} ${id} belongs to no vault`);
  if (kind === 'vault') return { ...start, workflow: kind, vaultId };
  if (kind === 'proposal') return { ...start, workflow: kind, proposalId: id, vaultId };
  return { ...start, workflow: kind, rotationId: id, vaultId };
}
