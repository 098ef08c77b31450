import { setTimeout as pause } from 'node:timers/promises';
import type { WorkerDeploymentVersion } from '@temporalio/common';
import type { Logger } from '../src/platform/observability/logger.ts';
import type { Platform } from '../src/dependencies.ts';
import { recordWorkerPresence, removeWorkerPresence } from '../src/operations/queries.ts';
import { currentBuild } from '../src/platform/temporal/deployment.ts';
import { areRunning, type Workers } from './workers.ts';

const INTERVAL_MS = 3000;
/** The api waits for a worker that has just been given tasks. */
const UNTIL_CURRENT_MS = 250;

interface PresenceDeps extends Pick<Platform, 'db' | 'temporal' | 'ids'> {
  readonly logger: Logger;
}

/** Records again and again, until disposed, that these workers are given tasks: the api is ready only then. */
export function keepPresence(
  { db, temporal, ids, logger }: PresenceDeps,
  workers: Workers,
  version: WorkerDeploymentVersion | null,
): AsyncDisposable {
  const id = ids.next();
  const isCurrent = createVersionCheck({ temporal, logger }, version);
  const recording = repeat(async () => {
    if (!areRunning(workers) || !(await isCurrent())) return UNTIL_CURRENT_MS;
    await recordWorkerPresence(db, id).catch((error: unknown) => {
      logger.warn({ error }, 'the presence of this worker could not be recorded');
    });
    return INTERVAL_MS;
  });
  return {
    async [Symbol.asyncDispose]() {
      await recording[Symbol.asyncDispose]();
      // Without this, it counts as gone after a minute.
      await removeWorkerPresence(db, id).catch(() => undefined);
    },
  };
}

/** Says whether workers of a version are given tasks. While Temporal cannot be asked, nothing has changed. */
function createVersionCheck(
  { temporal, logger }: Pick<PresenceDeps, 'temporal' | 'logger'>,
  version: WorkerDeploymentVersion | null,
): () => Promise<boolean> {
  let isCurrent = version === null;
  return async () => {
    if (version === null) return true;
    try {
      isCurrent = (await currentBuild(temporal, version.deploymentName)) === version.buildId;
    } catch (error) {
      logger.warn({ error }, 'the current version of the workers could not be read');
    }
    return isCurrent;
  };
}

/** Repeats what says after how many milliseconds it is done again. */
function repeat(act: () => Promise<number>): AsyncDisposable {
  const end = new AbortController();
  async function run(): Promise<void> {
    while (!end.signal.aborted) {
      const pauseMs = await act();
      await pause(pauseMs, undefined, { signal: end.signal }).catch(() => undefined);
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
