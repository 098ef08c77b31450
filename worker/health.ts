import type { Client } from '@temporalio/client';
import type { Worker } from '@temporalio/worker';
import { wallClock } from '../src/domain/units/clock.ts';
import { secondsAfter } from '../src/domain/units/instant.ts';
import type { Db } from '../src/store/database.ts';
import { findPlatform } from '../src/store/operator-identity.ts';

const DEADLINE_SECONDS = 2;

interface HealthDeps {
  readonly worker: Worker;
  readonly db: Db;
  readonly temporal: Client;
}

/** Throws an Error unless the worker takes tasks and reaches Temporal and Postgres. */
export async function checkHealth({ worker, db, temporal }: HealthDeps): Promise<void> {
  const { runState, workflowPollerState, activityPollerState } = worker.getStatus();
  for (const state of [runState, workflowPollerState, activityPollerState]) {
    if (state !== 'RUNNING' && state !== 'POLLING') throw new Error(`the worker takes no tasks: it is ${state}`);
  }
  const deadline = secondsAfter(wallClock.now(), DEADLINE_SECONDS);
  await temporal.withDeadline(deadline, () => temporal.workflowService.getSystemInfo({}));
  await findPlatform(db);
}
