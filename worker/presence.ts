import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../src/observability/logger.ts';
import type { Db } from '../src/store/database.ts';
import { recordWorkerPresence } from '../src/store/worker-presence.ts';
import { areRunning, type Workers } from './workers.ts';

const INTERVAL_MS = 3000;

interface PresenceDeps {
  readonly workers: Workers;
  readonly db: Db;
  readonly logger: Logger;
}

/** Records in Postgres again and again, until disposed, that a worker takes tasks: the api is ready only then. */
export function startPresence({ workers, db, logger }: PresenceDeps): AsyncDisposable {
  const end = new AbortController();

  async function keepRecording(): Promise<void> {
    while (!end.signal.aborted) {
      try {
        if (areRunning(workers)) await recordWorkerPresence(db);
      } catch (error) {
        logger.warn({ error }, 'the presence of this worker could not be recorded');
      }
      await pause(INTERVAL_MS, undefined, { signal: end.signal }).catch(() => undefined);
    }
  }

  const recording = keepRecording();
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await recording;
    },
  };
}
