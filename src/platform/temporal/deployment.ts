import { setTimeout as pause } from 'node:timers/promises';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { WorkerDeploymentVersion } from '@temporalio/common';
import { wallClock } from '../units/clock.ts';
import { secondsAfter } from '../units/instant.ts';

/** gRPC status codes: no worker of the version has asked for tasks yet, or not for those of every queue. */
const NOT_THERE_YET = [5, 9];
const RETRY_MS = 200;
const CALL_SECONDS = 10;

/**
 * Gives all tasks to the workers of a version from now on, also those of workflows that run. Waits until such a worker asks
 * for tasks; throws the server's error when none does in time. Changes nothing a second time.
 */
export async function setCurrentVersion(
  client: Client,
  { deploymentName, buildId }: WorkerDeploymentVersion,
  waitSeconds: number,
): Promise<void> {
  const { namespace } = client.options;
  const giveUpAt = secondsAfter(wallClock.now(), waitSeconds);
  for (;;) {
    try {
      await client.withDeadline(secondsAfter(wallClock.now(), CALL_SECONDS), () =>
        client.workflowService.setWorkerDeploymentCurrentVersion({ namespace, deploymentName, buildId }),
      );
      return;
    } catch (error) {
      const isEarly = isGrpcServiceError(error) && NOT_THERE_YET.includes(error.code);
      if (!isEarly || wallClock.now() >= giveUpAt) throw error;
      await pause(RETRY_MS);
    }
  }
}

/** The build whose workers are given all tasks; null before there is one. */
export async function currentBuild(client: Client, deploymentName: string): Promise<string | null> {
  const { namespace } = client.options;
  const { workerDeploymentInfo } = await client.withDeadline(secondsAfter(wallClock.now(), CALL_SECONDS), () =>
    client.workflowService.describeWorkerDeployment({ namespace, deploymentName }),
  );
  return workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId ?? null;
}
