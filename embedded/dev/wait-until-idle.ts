import { setTimeout as pause } from 'node:timers/promises';
import { wallClock, type Instant, secondsAfter } from '../../src/platform/units/time.ts';
import { ServiceError } from '../../src/platform/errors.ts';
import type { Db } from '../../src/platform/database/database.ts';
import { followedHeight, workflowsWithTimers, unfinished } from './due-instants.ts';
import type { LedgerControls } from './ledger-controls.ts';
import type { WorkflowTime } from './workflow-time.ts';

/** Time limit without any change. A settlement in many batches may take longer in all. */
const PATIENCE_SECONDS = 60;
const POLL_MS = 40;
/** Longer while the worker is busy, because each check costs queries and calls. */
const BUSY_POLL_MS = 120;
/** New blocks are made when the last ones were not followed for this long: they may have been rolled back. */
const FOLLOW_MS = 1000;

export interface SettleDeps {
  readonly db: Db;
  readonly ledgerControls: LedgerControls;
  readonly workflowTime: WorkflowTime;
  /** Blocks after which a transaction is final. */
  readonly confirmationDepth: number;
  /** The instant of the moved clock. */
  readonly now: () => Promise<Instant>;
}

/**
 * Waits until nothing is due, unconfirmed, unsent or in progress, and makes the blocks that are needed. Throws
 * CLOCK_CANNOT_MOVE with what it waited for.
 */
export async function waitUntilSettled(deps: SettleDeps): Promise<void> {
  let deadline = secondsAfter(wallClock.now(), PATIENCE_SECONDS);
  let progress = '';
  const mineWhenFollowed = blockMaker(deps);
  let before: string | null = null;
  for (;;) {
    const waitingFor = await unfinished(deps.db, await deps.now());
    const moving = waitingFor.length > 0 || (await deps.ledgerControls.waiting()) > 0;
    if (moving) await mineWhenFollowed();
    // A message may pass between reading two workflows, so all of them must be unchanged twice.
    const still = moving ? null : await idleHistoryLengths(deps);
    if (still !== null && still === before) return;
    before = still;
    const reached = [...waitingFor.toSorted(), still].join();
    if (reached !== progress) deadline = secondsAfter(wallClock.now(), PATIENCE_SECONDS);
    progress = reached;
    if (wallClock.now() > deadline) throw await cannotMove(deps, waitingFor);
    await pause(moving ? BUSY_POLL_MS : POLL_MS);
  }
}

/** CLOCK_CANNOT_MOVE with what is unfinished, and what the workflows are trying. */
async function cannotMove({ db, workflowTime }: SettleDeps, unfinished: readonly string[]): Promise<ServiceError> {
  const workflows = await workflowsWithTimers(db, ['DRAFT', 'ACTIVE', 'LOCKED']);
  const tried = await Promise.all(workflows.slice(0, 20).map((workflowId) => workflowTime.workInProgress(workflowId)));
  return new ServiceError('CLOCK_CANNOT_MOVE', { waitingFor: [...unfinished, ...tried.flat()] });
}

/** The lengths of all histories if every workflow only waits; null while one does something. */
async function idleHistoryLengths({ db, workflowTime }: SettleDeps): Promise<string | null> {
  const workflows = await workflowsWithTimers(db, ['DRAFT', 'ACTIVE']);
  const activities = await Promise.all(workflows.map((workflowId) => workflowTime.activity(workflowId)));
  const busy = activities.some((activity) => activity?.idle === false);
  return busy ? null : activities.map((activity) => activity?.historyLength ?? 'ended').join();
}

/** Each call makes enough blocks to make a transaction final, but only after the last ones were followed. */
function blockMaker({ db, ledgerControls, confirmationDepth }: SettleDeps): () => Promise<void> {
  let made = { height: 0, at: 0 };
  return async () => {
    const impatient = wallClock.now() > made.at + FOLLOW_MS;
    if (!impatient && (await followedHeight(db)) < made.height) return;
    const { height } = await ledgerControls.mine(confirmationDepth);
    made = { height, at: wallClock.now() };
  };
}
