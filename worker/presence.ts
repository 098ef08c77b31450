import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../src/observability/logger.ts';
import type { Db } from '../src/store/database.ts';
import { recordWorkerPresence, removeWorkerPresence } from '../src/store/worker-presence.ts';
import { areRunning, type Workers } from './workers.ts';

const INTERVAL_MS = 3000;

interface PresenceDeps {
  readonly db: Db;
  readonly logger: Logger;
}

/** Records again and again, until disposed, that a worker with this id takes tasks: the api is ready only then. */
export function keepPresence({ db, logger }: PresenceDeps, id: string, workers: Workers): AsyncDisposable {
  const recording = repeat(async () => {
    if (!areRunning(workers)) return;
    await recordWorkerPresence(db, id).catch((error: unknown) => {
      logger.warn({ error }, 'the presence of this worker could not be recorded');
    });
  });
  return {
    async [Symbol.asyncDispose]() {
      await recording[Symbol.asyncDispose]();
      // Without this, it counts as gone after a minute.
      await removeWorkerPresence(db, id).catch(() => undefined);
    },
  };
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
