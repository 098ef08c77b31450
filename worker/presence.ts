import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../src/observability/logger.ts';
import type { Db } from '../src/store/database.ts';
import { type PresentWorker, recordWorkerPresence, removeWorkerPresence } from '../src/store/worker-presence.ts';
import { areRunning, stopWorkers, type Workers } from './workers.ts';

const INTERVAL_MS = 3000;

interface PresenceDeps {
  readonly db: Db;
  readonly logger: Logger;
}

export interface Presence {
  /** Those changes of its release that are not active, because a worker that is present does not know them. */
  readonly inactive: () => readonly string[];
  /** Records again and again, until disposed, that the worker takes tasks: the api is ready only then. */
  readonly keep: (workers: Workers) => AsyncDisposable;
}

/** The worker is older than others were: it cannot go on with runs that these have changed. */
class OutdatedWorkerError extends Error {
  constructor(unknown: readonly string[]) {
    super(
      `this release does not know changes of the workflows that are active: ${unknown.join(', ')}; run a newer one`,
    );
  }
}

/** Records that a worker comes, beside others that may be of another release. Throws an Error when it is older than active changes. */
export async function openPresence({ db, logger }: PresenceDeps, worker: PresentWorker): Promise<Presence> {
  let inactive = await recordPresence(db, worker);
  if (inactive.length > 0)
    logger.info({ changes: inactive }, 'changes of the workflows wait for the end of older workers');

  async function recordAgain(workers: Workers): Promise<void> {
    if (!areRunning(workers)) return;
    try {
      const before = inactive;
      inactive = await recordPresence(db, worker);
      if (before.length > 0 && inactive.length === 0) logger.info({}, 'all changes of the workflows are active');
    } catch (error) {
      if (!(error instanceof OutdatedWorkerError)) {
        logger.warn({ error }, 'the presence of this worker could not be recorded');
        return;
      }
      logger.error({ type: 'SYSTEM_ERROR', error }, error.message);
      stopWorkers(workers);
    }
  }

  return {
    inactive: () => inactive,
    keep: (workers) => {
      const recording = repeat(() => recordAgain(workers));
      return {
        async [Symbol.asyncDispose]() {
          await recording[Symbol.asyncDispose]();
          // Without this, it counts as gone after a minute.
          await removeWorkerPresence(db, worker.id).catch(() => undefined);
        },
      };
    },
  };
}

/** Returns the changes of the worker that are not active. */
async function recordPresence(db: Db, worker: PresentWorker): Promise<readonly string[]> {
  const active = await recordWorkerPresence(db, worker);
  const unknown = active.filter((change) => !worker.changes.includes(change));
  if (unknown.length > 0) throw new OutdatedWorkerError(unknown);
  return worker.changes.filter((change) => !active.includes(change));
}

function repeat(act: () => Promise<void>): AsyncDisposable {
  const end = new AbortController();
  async function run(): Promise<void> {
    while (!end.signal.aborted) {
      await act();
      await pause(INTERVAL_MS, undefined, { signal: end.signal }).catch(() => undefined);
    }
  }
  const running = run();
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
    },
  };
}
