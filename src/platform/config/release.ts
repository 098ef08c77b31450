import { z } from 'zod';
import { ConfigurationError, readVariables } from './environment.ts';
import { givenWith } from './ops.ts';
import type { Environment } from './secret-files.ts';
import { isDevelopment } from './secure-connections.ts';
import { sharedVariables } from './shared.ts';
import { temporalConfig, temporalProblems, temporalVariables } from './temporal.ts';

const releaseVariables = temporalVariables.extend({
  ENVIRONMENT: sharedVariables.shape.ENVIRONMENT,
  TEMPORAL_DEPLOYMENT_NAME: z.string().min(1).default('vaults'),
});

/**
 * Temporal, and the deployment whose current version is set: of the environment, or of the development stack that runs in DATA_DIR. Throws an
 * Error that names every missing or invalid variable.
 */
export function loadReleaseConfig(environment: Environment = process.env) {
  const variables = readVariables(releaseVariables, givenWith('TEMPORAL_ADDRESS', environment));
  const isPlain = !variables.TEMPORAL_TLS && !isDevelopment(variables);
  const problems = [
    ...temporalProblems(variables),
    ...(isPlain ? ['TEMPORAL_TLS: must be true outside development'] : []),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return { temporal: temporalConfig(variables), deploymentName: variables.TEMPORAL_DEPLOYMENT_NAME };
}
