import { isGrpcServiceError } from '@temporalio/client';
import { loadReleaseConfig } from '../../platform/config/ops.ts';
import { readBuildId, setCurrentVersion } from '../../platform/temporal/deployment.ts';
import { connectTemporal } from '../../platform/temporal/connection.ts';
import type { CommandResult } from './command-result.ts';

/** A worker that has just started may not have asked for tasks yet. */
const WAIT_SECONDS = 60;

/** Gives all tasks to the workers of this code, once one of them is there. */
export async function releaseCommand(): Promise<CommandResult> {
  const { temporal, deploymentName } = loadReleaseConfig();
  const buildId = await readBuildId();
  const client = connectTemporal(temporal);
  try {
    await setCurrentVersion(client, { deploymentName, buildId }, WAIT_SECONDS);
    return { ok: true, output: `Workers of build ${buildId} now get all tasks of deployment ${deploymentName}.` };
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    return {
      ok: false,
      output: `No worker of build ${buildId} is running. Start one, then run this command again (${error.details}).`,
    };
  } finally {
    await client.connection.close();
  }
}
