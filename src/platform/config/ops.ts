import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  withPassword,
  ConfigurationError,
  encryptionKey,
  optionalText,
  readVariables,
  type Environment,
  withSecretFiles,
  insecureConnections,
  isDevelopment,
} from './environment.ts';
import { sharedVariables, networkIdOf, networkVariable } from './shared.ts';
import { temporalConfig, temporalProblems, temporalVariables } from './temporal.ts';
import { mnemonicVariable } from './worker.ts';

const opsVariables = z.object({
  ENVIRONMENT: sharedVariables.shape.ENVIRONMENT,
  LEDGER_EMBEDDED: sharedVariables.shape.LEDGER_EMBEDDED,
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  DATABASE_PASSWORD: optionalText,
  ENCRYPTION_KEY: encryptionKey.optional(),
  ENCRYPTION_KEY_OTHER: encryptionKey.optional(),
  LEDGER_URL: z.url({ protocol: /^https?$/ }).optional(),
  LEDGER_PROJECT_ID: optionalText,
});

/** What the commands of an operator work with. */
interface OpsConfig {
  readonly databaseUrl: string;
  /** Null when no key is given, and without a ledger: most commands need neither. */
  readonly encryptionKeys: { readonly current: Buffer; readonly other?: Buffer | undefined } | null;
  readonly ledger: { readonly baseUrl: string; readonly projectId?: string } | null;
}

/** Database and ledger of `npm run ops`: of the environment, or of the development stack that runs in DATA_DIR. Throws an Error when there is no database, or none that proves its name. */
export function loadOpsConfig(environment: Environment = process.env): OpsConfig {
  const variables = readVariables(opsVariables, givenWith('DATABASE_URL', environment));
  const problems = insecureConnections(variables);
  if (problems.length > 0) throw new ConfigurationError(problems);
  const { LEDGER_URL: baseUrl, LEDGER_PROJECT_ID: projectId } = variables;
  const { ENCRYPTION_KEY: current, ENCRYPTION_KEY_OTHER: other } = variables;
  return {
    databaseUrl: withPassword(variables.DATABASE_URL, variables.DATABASE_PASSWORD),
    encryptionKeys: current === undefined ? null : { current, other },
    ledger: baseUrl === undefined ? null : { baseUrl, ...(projectId !== undefined && { projectId }) },
  };
}

/** The environment, with the addresses of the development stack that runs in DATA_DIR. Throws an Error when neither has this variable. */
function givenWith(variable: string, environment: Environment): Environment {
  const file = join(environment['DATA_DIR'] ?? '.data', 'stack.json');
  const given = { ...developmentStack(file), ...withSecretFiles(environment) };
  if (given[variable]) return given;
  throw new ConfigurationError([
    `${variable} is not set, and ${file} does not exist. Run \`npm start\` first and leave it running.`,
  ]);
}

function developmentStack(file: string): Environment {
  if (!existsSync(file)) return {};
  const stack = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly databaseUrl?: string;
    readonly ledgerUrl?: string;
    readonly temporalAddress?: string;
  };
  return {
    ENVIRONMENT: 'development',
    DATABASE_URL: stack.databaseUrl,
    LEDGER_URL: stack.ledgerUrl,
    TEMPORAL_ADDRESS: stack.temporalAddress,
  };
}

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

const rootVariables = z.object({ NETWORK: networkVariable, OPERATOR_MNEMONIC: mnemonicVariable.optional() });

/** What the commands about the root key work with. Throws an Error that names every missing or invalid variable, never its value. */
export function loadRootConfig(environment: Environment = process.env) {
  const { NETWORK: network, OPERATOR_MNEMONIC: operatorMnemonic } = readVariables(rootVariables, environment);
  return { networkId: networkIdOf(network), operatorMnemonic };
}
