import { setTimeout as pause } from 'node:timers/promises';
import { wallClock } from '../../src/domain/units/clock.ts';
import { ServiceError } from '../../src/domain/errors.ts';
import { type Instant, secondsAfter } from '../../src/domain/units/instant.ts';
import type { Db } from '../../src/store/database.ts';
import { followedHeight, timekeepers, unfinished } from './due.ts';
import type { LedgerSwitches } from './ledger-switches.ts';
import type { WorkflowTime } from './workflow-time.ts';

/** Without anything having changed. A settlement in many batches takes as long as it takes. */
const PATIENCE_SECONDS = 60;
const POLL_MS = 40;
/** Blocks are made again when the last ones were not followed for so long: they may have been rolled back. */
const FOLLOW_MS = 1000;

export interface RestDeps {
  readonly db: Db;
  readonly switches: LedgerSwitches;
  readonly workflowTime: WorkflowTime;
  /** Blocks after which a transaction is final. */
  readonly confirmationDepth: number;
  /** The instant of the moved clock. */
  readonly now: () => Promise<Instant>;
}

/**
 * Waits until nothing is due, unconfirmed, unsent or being worked on, making the blocks that takes. Raises
 * CLOCK_CANNOT_MOVE with what it waited for.
 */
export async function comeToRest(deps: RestDeps): Promise<void> {
  let deadline = secondsAfter(wallClock.now(), PATIENCE_SECONDS);
  let progress = '';
  const mineWhenFollowed = paced(deps);
  let before: string | null = null;
  for (;;) {
    const waitingFor = await unfinished(deps.db, await deps.now());
    const moving = waitingFor.length > 0 || (await deps.switches.waiting()) > 0;
    if (moving) await mineWhenFollowed();
    // A message may pass between two looks at two workflows, so all must look the same twice.
    const still = moving ? null : await stillness(deps);
    if (still !== null && still === before) return;
    before = still;
    const reached = [...waitingFor.toSorted(), still].join();
    if (reached !== progress) deadline = secondsAfter(wallClock.now(), PATIENCE_SECONDS);
    progress = reached;
    if (wallClock.now() > deadline) throw new ServiceError('CLOCK_CANNOT_MOVE', { waitingFor });
    await pause(POLL_MS);
  }
}

/** What all histories look like while every workflow only waits; null while one does not. */
async function stillness({ db, workflowTime }: RestDeps): Promise<string | null> {
  const workflows = await timekeepers(db, ['DRAFT', 'ACTIVE']);
  const activities = await Promise.all(workflows.map((workflowId) => workflowTime.activity(workflowId)));
  const busy = activities.some((activity) => activity?.idle === false);
  return busy ? null : activities.map((activity) => activity?.historyLength ?? 'ended').join();
}

/** Makes a transaction final with every call, but no more blocks than are followed. */
function paced({ db, switches, confirmationDepth }: RestDeps): () => Promise<void> {
  let made = { height: 0, at: 0 };
  return async () => {
    const impatient = wallClock.now() > made.at + FOLLOW_MS;
    if (!impatient && (await followedHeight(db)) < made.height) return;
    const { height } = await switches.mine(confirmationDepth);
    made = { height, at: wallClock.now() };
  };
}
