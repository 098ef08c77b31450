import type { WorkerDeploymentVersion } from '@temporalio/common';
import type { WorkerOptions } from '@temporalio/worker';
import type { WorkerConfig } from '../src/platform/config/worker.ts';
import type { Logger } from '../src/platform/observability/logger.ts';
import { readBuildId } from '../src/platform/temporal/deployment.ts';

/** The version that a worker of this code is; null without a deployment. */
export async function versionOf(
  { deploymentName }: Pick<WorkerConfig, 'deploymentName'>,
  logger: Logger,
): Promise<WorkerDeploymentVersion | null> {
  if (deploymentName === undefined) return null;
  const version = { deploymentName, buildId: await readBuildId() };
  logger.info(version, 'this worker gets tasks while its build is current');
  return version;
}

/** The options of a worker of a version: each run continues with the current one, wherever it was begun. */
export function versioned(version: WorkerDeploymentVersion) {
  return {
    workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' },
  } satisfies Partial<WorkerOptions>;
}
