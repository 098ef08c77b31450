import type { WorkerDeploymentVersion } from '@temporalio/common';
import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createLedgerActivities } from '../activities/ledger-follower.ts';
import type { WorkerConfig } from '../src/platform/config/worker.ts';
import type { Platform } from '../src/dependencies.ts';
import type { WorkerContext } from '../src/worker-context.ts';
import { ledgerTaskQueue } from '../src/platform/temporal/workflow-ids.ts';
import { createActivities } from './create-activities.ts';
import { sendHeartbeats } from './heartbeat.ts';
import { rejectFutureActivities } from './reject-future.ts';
import { reportUnreadableRows } from './unreadable-rows.ts';
import { versioned } from './versioning.ts';

/** What takes tasks in this process: the follower has a queue of its own, so it waits behind no other activity. */
export interface Workers {
  readonly main: Worker;
  readonly follower: Worker;
}

/** One run of the follower, and one that is ending. */
const FOLLOWERS = 2;

interface WorkerParts {
  readonly context: WorkerContext & Platform;
  readonly codePath: string;
  /** Null for workers that are of no deployment. */
  readonly version: WorkerDeploymentVersion | null;
}

export async function createWorkers(
  connection: NativeConnection,
  config: WorkerConfig,
  { context, codePath, version }: WorkerParts,
): Promise<Workers> {
  const { namespace, taskQueue } = config.temporal;
  const common = {
    connection,
    namespace,
    interceptors: { activity: [sendHeartbeats, rejectFutureActivities(context), reportUnreadableRows(context)] },
    shutdownGraceTime: `${config.shutdownGraceSeconds} seconds`,
    shutdownForceTime: `${2 * config.shutdownGraceSeconds} seconds`,
    ...(version && versioned(version)),
  } satisfies Partial<WorkerOptions>;
  const main = await Worker.create({
    ...common,
    taskQueue,
    workflowBundle: { codePath },
    activities: createActivities(context),
    maxCachedWorkflows: 500,
    stickyQueueScheduleToStartTimeout: '3 seconds',
  });
  const follower = await Worker.create({
    ...common,
    taskQueue: ledgerTaskQueue(taskQueue),
    activities: createLedgerActivities(context),
    maxConcurrentActivityTaskExecutions: FOLLOWERS,
  });
  return { main, follower };
}

/** Runs the workers until they are stopped. If one fails, the others are stopped too, and its error is thrown. */
export async function runUntilStopped({ main, follower }: Workers): Promise<void> {
  const workers = [main, follower];
  const runs = workers.map(async (worker) => {
    try {
      await worker.run();
    } finally {
      for (const other of workers) if (other.getState() === 'RUNNING') other.shutdown();
    }
  });
  for (const result of await Promise.allSettled(runs)) if (result.status === 'rejected') throw result.reason;
}

export function areRunning({ main, follower }: Workers): boolean {
  return main.getState() === 'RUNNING' && follower.getState() === 'RUNNING';
}
