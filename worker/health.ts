import type { Client } from '@temporalio/client';
import { checkSerializationLibrary } from '../src/cardano/canary.ts';
import { wallClock, secondsAfter } from '../src/platform/units/time.ts';
import type { Db } from '../src/platform/database/database.ts';
import { findPlatform } from '../src/operations/queries.ts';
import type { Workers } from './workers.ts';

const DEADLINE_SECONDS = 2;

interface HealthDeps {
  readonly workers: Workers;
  readonly db: Db;
  readonly temporal: Client;
}

/** Throws an Error unless the worker takes tasks, reaches Temporal and Postgres, and can serialize transactions. */
export async function checkHealth({ workers, db, temporal }: HealthDeps): Promise<void> {
  const [main, follower] = [workers.main.getStatus(), workers.follower.getStatus()];
  const pollers = [main.workflowPollerState, main.activityPollerState, follower.activityPollerState];
  for (const state of [main.runState, follower.runState, ...pollers]) {
    if (state !== 'RUNNING' && state !== 'POLLING') throw new Error(`the worker takes no tasks: it is ${state}`);
  }
  const deadline = secondsAfter(wallClock.now(), DEADLINE_SECONDS);
  await temporal.withDeadline(deadline, () => temporal.workflowService.getSystemInfo({}));
  await findPlatform(db);
  checkSerializationLibrary();
}
