import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { WorkerDeploymentVersion } from '@temporalio/common';
import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { wallClock, secondsAfter } from '../units/time.ts';

/** gRPC status codes: the server is slow, or no worker of the version has asked for tasks yet, or not for those of every queue. */
const RETRYABLE = [4, 5, 9];
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
      const isRetryable = isGrpcServiceError(error) && RETRYABLE.includes(error.code);
      if (!isRetryable || wallClock.now() >= giveUpAt) throw error;
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

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** All that a worker runs, and the versions of what it runs on. */
const sources = ['{src,workflows,activities,worker}/**/*.{ts,sql}', 'package-lock.json'];

/** Names the code of this checkout or image: its version and a hash, the same for the same code on every machine. */
export async function readBuildId(): Promise<string> {
  const paths = (await Array.fromAsync(glob(sources, { cwd: root }))).filter((path) => !path.endsWith('.test.ts'));
  const files = await Promise.all(
    paths.sort().map(async (path) => ({ path, bytes: await readFile(join(root, path)) })),
  );
  const hash = createHash('sha256');
  for (const { path, bytes } of files) hash.update(`${path}\0`).update(bytes);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  return `${version}-${hash.digest('hex').slice(0, 12)}`;
}
