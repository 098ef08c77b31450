import { z } from 'zod';
import { ConfigurationError, readVariables } from './environment.ts';
import type { Environment } from './secret-files.ts';
import { isDevelopment } from './secure-connections.ts';
import { sharedVariables } from './shared.ts';
import { temporalConfig, temporalProblems, temporalVariables } from './temporal.ts';

const releaseVariables = temporalVariables.extend({
  ENVIRONMENT: sharedVariables.shape.ENVIRONMENT,
  TEMPORAL_DEPLOYMENT_NAME: z.string().min(1).default('vaults'),
});

/** Temporal, and the deployment whose current version is set. Throws an Error that names every missing or invalid variable. */
export function loadReleaseConfig(environment: Environment) {
  const variables = readVariables(releaseVariables, environment);
  const isPlain = !variables.TEMPORAL_TLS && !isDevelopment(variables);
  const problems = [
    ...temporalProblems(variables),
    ...(isPlain ? ['TEMPORAL_TLS: must be true outside development'] : []),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return { temporal: temporalConfig(variables), deploymentName: variables.TEMPORAL_DEPLOYMENT_NAME };
}
