import { sql } from 'kysely';
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { secondsAfter, wallClock } from '../units/time.ts';
import { vaultsOfTransactions } from '../../transactions/queries/transactions.ts';
import type { Db, Transaction } from '../database/database.ts';
import type { DatabaseClock } from '../database/unit-of-work.ts';
import {
  type OutboxFilter,
  type WorkflowOutboxEntry,
  claimUnsentMessages,
  hasUnsentMessages,
  markMessagesSent,
} from './workflow-outbox.ts';
import type { WorkflowMessage, WorkflowSignal, WorkflowStart } from './messages.ts';
import { type StartTime, WAKE, startOptions } from './workflow-starts.ts';
import { type WorkflowId, transactionOfWorkflow } from './workflow-ids.ts';

type Age = Pick<OutboxFilter, 'minAgeMs'>;

const BATCH = 50;
const DEADLINE_SECONDS = 5;
/** gRPC status code: what a signal with a start finds has ended. */
const ALREADY_EXISTS = 6;

/** Sends the starts and signals of the workflow outbox to Temporal. Those it cannot send stay there, and the sweep sends them. */
export interface OutboxRelay {
  /** Sends the waiting messages soon, without making the caller wait. */
  deliver(): void;
  /** Sends the waiting messages and returns how many were sent. Throws an AggregateError at the end when some could not be. */
  deliverAll(age?: Age): Promise<number>;
  /** Ends after the messages under way are sent. */
  close(): Promise<void>;
}

export interface OutboxRelayDeps {
  db: Db;
  clock: DatabaseClock;
  client: Client;
  taskQueue: string;
  network: string;
  /** Called when messages could not be sent, as while Temporal cannot be reached; none is lost by that. */
  onDelay: (error: unknown) => void;
}

/** An outbox relay over one Temporal connection. */
export function createOutboxRelay(deps: OutboxRelayDeps): OutboxRelay {
  let underWay: Promise<void> = Promise.resolve();
  let waiting = false;
  const passedOver = new Set<WorkflowId>();

  return {
    deliver() {
      if (waiting) return;
      waiting = true;
      underWay = underWay.then(async () => {
        waiting = false;
        try {
          await deliverAll(deps, passedOver);
        } catch (error) {
          deps.onDelay(error);
        }
      });
    },
    deliverAll: (age) => deliverAll(deps, passedOver, age),
    close: () => underWay,
  };
}

/**
 * Continues after workflows that cannot be reached, but no longer than one call may take: then Temporal itself is unavailable, or those
 * that hang take all the time. Another delivery continues after them, and begins again once one has come to the end.
 */
async function deliverAll(deps: OutboxRelayDeps, passedOver: Set<WorkflowId>, { minAgeMs = 0 }: Age = {}) {
  // Most often nothing waits: one statement instead of a transaction of five, after each block and each check for one.
  if (!(await hasUnsentMessages(deps.db))) return 0;
  const giveUpAt = secondsAfter(wallClock.now(), DEADLINE_SECONDS);
  const failures = new Map<WorkflowId, unknown>();
  let [sent, isAtEnd] = [0, false];
  do {
    const except = [...passedOver, ...failures.keys()];
    const batch = await deliverBatch(deps, { minAgeMs, except, limit: BATCH });
    sent += batch.sent;
    for (const [workflowId, error] of batch.failures) failures.set(workflowId, error);
    isAtEnd = batch.taken < BATCH;
  } while (!isAtEnd && (failures.size === 0 || wallClock.now() < giveUpAt));
  passOver(passedOver, isAtEnd ? [] : failures.keys());
  const [first] = failures;
  if (first)
    throw new AggregateError(
      failures.values(),
      `could not send messages to ${first[0]} and ${failures.size - 1} others: ${String(first[1])}`,
    );
  return sent;
}

/** Adds workflows that the next delivery leaves out; without any it leaves none out. */
function passOver(passedOver: Set<WorkflowId>, unreached: Iterable<WorkflowId>): void {
  const before = passedOver.size;
  for (const workflowId of unreached) passedOver.add(workflowId);
  if (passedOver.size === before) passedOver.clear();
}

async function deliverBatch(deps: OutboxRelayDeps, filter: OutboxFilter) {
  return deps.db.transaction().execute(async (tx) => {
    // It waits for Temporal, at most 5 s for each of 50 messages; every other transaction only waits for Postgres.
    await sql`set local idle_in_transaction_session_timeout = '300s'`.execute(tx);
    // A workflow must start with the clock its deadlines are measured by, so the clock is locked meanwhile (design §7).
    const time = await deps.clock.within(tx);
    const claimed = await claimUnsentMessages(tx, filter);
    const entries = claimed.filter(isReadable);
    const vaultIds = await vaultsOfTransactions(tx, signalledTransactions(entries));
    const starts = entries.map(({ message }) => message).filter((message) => message.kind === 'start');
    const titles = await readTitles(tx, starts);
    const damaged = claimed.filter((entry) => !isReadable(entry));
    const failures = new Map<WorkflowId, unknown>(
      damaged.map(({ id, workflowId }) => [workflowId, new Error(`message ${id} cannot be read`)]),
    );
    const sent: string[] = [];
    await Promise.all(
      [...Map.groupBy(entries, (entry) => entry.workflowId)].map(async ([workflowId, queue]) => {
        for (const [position, entry] of queue.entries()) {
          try {
            if (!isRepeated(entry, queue.slice(position + 1))) await send(deps, entry, { time, vaultIds, titles });
            sent.push(entry.id);
          } catch (error) {
            failures.set(workflowId, error);
            return;
          }
        }
      }),
    );
    if (sent.length > 0) await markMessagesSent(tx, sent);
    return { taken: claimed.length, sent: sent.length, failures };
  });
}

interface SendContext {
  readonly time: StartTime;
  /** The vaults of the transactions that are signalled: a signal starts what another process still holds the start of. */
  readonly vaultIds: ReadonlyMap<string, string | null>;
  /** Of the vaults and proposals that are started. */
  readonly titles: ReadonlyMap<string, string>;
}

/** One that was damaged stays where it is, and no other of its workflow waits for it: what it was about is read from Postgres. */
function isReadable({ message }: WorkflowOutboxEntry): boolean {
  const kind = (message as WorkflowMessage | null)?.kind;
  return kind === 'start' || kind === 'signal';
}

function signalledTransactions(entries: readonly WorkflowOutboxEntry[]): string[] {
  const signals = entries.filter(({ message }) => message.kind === 'signal');
  return signals.map(({ workflowId }) => transactionOfWorkflow(workflowId)).filter((id) => id !== null);
}

/** Signals only wake a workflow, so the last one of several that wait together suffices: a run takes 10,000 at most. */
function isRepeated({ message }: WorkflowOutboxEntry, later: readonly WorkflowOutboxEntry[]): boolean {
  return message.kind === 'signal' && later.some((entry) => isSameSignal(entry.message, message.signal));
}

function isSameSignal(message: WorkflowMessage, signal: WorkflowSignal): boolean {
  return message.kind === 'signal' && message.signal === signal;
}

async function send(
  deps: OutboxRelayDeps,
  { workflowId, message }: WorkflowOutboxEntry,
  { time, vaultIds, titles }: SendContext,
): Promise<void> {
  const { client } = deps;
  const deadline = secondsAfter(wallClock.now(), DEADLINE_SECONDS);
  try {
    await client.withDeadline(deadline, async () => {
      if (message.kind === 'signal') return signal(deps, workflowId, message.signal, { time, vaultIds });
      const options = startOptions(deps, workflowId, message, { ...time, titles });
      // A workflow that is about to end sees a signal, but not that it should be started.
      if (message.again === true) await client.workflow.signalWithStart(message.workflow, { ...options, signal: WAKE });
      else await client.workflow.start(message.workflow, options);
    });
  } catch (error) {
    // It has ended, or not started yet: either way it reads its state from Postgres and needs no message.
    if (!isUnneeded(error)) throw error;
  }
}

function isUnneeded(error: unknown): boolean {
  if (error instanceof WorkflowNotFoundError || error instanceof WorkflowExecutionAlreadyStartedError) return true;
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === ALREADY_EXISTS;
}

/**
 * The first task of a transaction's workflow may be delayed, and only a signal that could also start it ends the delay. One that has
 * ended stays so.
 */
async function signal(
  deps: OutboxRelayDeps,
  workflowId: WorkflowId,
  name: WorkflowSignal,
  { time, vaultIds }: Omit<SendContext, 'titles'>,
): Promise<void> {
  const { workflow } = deps.client;
  const transactionId = transactionOfWorkflow(workflowId);
  if (transactionId === null) return workflow.getHandle(workflowId).signal(name);
  const vaultId = vaultIds.get(transactionId) ?? null;
  const start = { kind: 'start', workflow: 'transaction', transactionId, vaultId } as const;
  await workflow.signalWithStart(start.workflow, { ...startOptions(deps, workflowId, start, time), signal: name });
}

/** Temporal refuses a start whose summary is longer than 400 bytes; a character has at most 4. */
const LONGEST_NAME = 60;

/** Name and type of the vaults and proposals that are to be started, by id. An operator sees them in the Temporal UI. */
export async function readTitles(tx: Transaction, starts: readonly WorkflowStart[]): Promise<Map<string, string>> {
  const vaults = starts.flatMap((start) => (start.workflow === 'vault' ? [start.vaultId] : [])).filter(isUuid);
  const proposals = starts.flatMap((start) => (start.workflow === 'proposal' ? [start.proposalId] : [])).filter(isUuid);
  if (vaults.length + proposals.length === 0) return new Map();
  const { rows } = await sql<{ id: string; name: string; type: string }>`
    select id, name, coalesce(custom_type, type) as type from vaults where id = any(${vaults})
    union all
    select id, title, type from proposals where id = any(${proposals})
  `.execute(tx);
  return new Map(rows.map(({ id, name, type }) => [id, `${shortened(name)} (${type})`]));
}

/** A damaged message has no title, and the others are sent. */
function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
}

function shortened(name: string): string {
  const characters = Array.from(name);
  return characters.length > LONGEST_NAME ? `${characters.slice(0, LONGEST_NAME).join('')}…` : name;
}
