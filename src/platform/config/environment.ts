import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The environment of a child process: what programs need from the machine, without the secrets and settings of its parent. */
export function baseEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'USER', 'TMPDIR', 'TZ', 'LANG', 'SystemRoot', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'];
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
}

/** For tools with settings of their own, such as a package manager: the environment without the secrets of the service. */
export function withoutSecrets(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const secret = new Set<string>(secretVariables.flatMap((name) => [name, `${name}_FILE`]));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !secret.has(name)));
}

/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that hold a secret. Each can be given by a file instead, which `<variable>_FILE` names. */
export const secretVariables = [
  'DATABASE_URL',
  'DATABASE_PASSWORD',
  'LEDGER_PROJECT_ID',
  'TEMPORAL_API_KEY',
  'ENCRYPTION_KEY',
  'ENCRYPTION_KEY_OTHER',
  'OPERATOR_MNEMONIC',
  'BOOTSTRAP_ADMIN_KEY',
] as const;

/**
 * The environment with the secrets that files hold, as Docker and Kubernetes mount them; a line break at the end of a file does not
 * count. Throws an Error that names the variable, never its value, when a file cannot be read or the variable itself is set too.
 */
export function withSecretFiles(environment: Environment): Environment {
  const read: Record<string, string | undefined> = { ...environment };
  for (const variable of secretVariables) {
    const named = `${variable}_FILE`;
    const file = environment[named];
    if (file === undefined || file === '') continue;
    if (environment[variable]) throw new Error(`${variable} and ${named} are both set: set only one of them`);
    read[variable] = readSecret(named, file);
    read[named] = undefined;
  }
  return read;
}

function readSecret(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`${variable} names a file that is not readable`, { cause: error });
  }
}

export function integer(least: number, most: number) {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number({ error }).int({ error }).min(least, { error }).max(most, { error });
}
export const port = integer(0, 65_535);
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
/** The bytes of an AES-256 key. */
export const encryptionKey = z
  .base64()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((key) => key.length === 32, 'must be 32 bytes in base64');
export const optionalText = z.string().min(1).optional();
/** The content of a file that the variable names. */
export const fileContent = z.string().transform((file, context): Buffer => {
  try {
    return readFileSync(file);
  } catch {
    context.addIssue('names a file that is not readable');
    return z.NEVER;
  }
});

/**
 * Reads variables from the environment, secrets also from files; an empty one counts as not set. Throws an Error that names every
 * missing or invalid variable, never its value.
 */
export function readVariables<Variables>(schema: z.ZodType<Variables>, environment: Environment): Variables {
  const given = Object.fromEntries(
    Object.entries(withSecretFiles(environment)).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ConfigurationError(
    parsed.error.issues.map((issue) => {
      const [variable, ...inside] = issue.path.map(String);
      if (variable === undefined || given[variable] === undefined) return `${variable ?? 'The environment'} is not set`;
      return `${[variable, ...inside].join('.')}: ${issue.message}`;
    }),
  );
}

/** The error that stops a start. Each problem names its variable, never its value. */
export class ConfigurationError extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration is invalid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigurationError';
  }
}

/** What the connections to other parts of a deployment are configured with. */
interface Connections {
  readonly ENVIRONMENT: string;
  readonly DATABASE_URL: string;
  readonly LEDGER_URL?: string | undefined;
  readonly PRICE_FEED_URL?: string | undefined;
  readonly TEMPORAL_TLS?: boolean;
  readonly TEMPORAL_API_KEY?: string | undefined;
  readonly TEMPORAL_TLS_CLIENT_CERT_PATH?: unknown;
  readonly LEDGER_EMBEDDED?: boolean;
  readonly CLOCK_OFFSET?: 'none' | 'database';
}

/** Whether nothing of value can be lost: on a developer's machine. */
export function isDevelopment({ ENVIRONMENT }: Pick<Connections, 'ENVIRONMENT'>): boolean {
  return ENVIRONMENT === 'development';
}

/**
 * What is not encrypted or not verified outside development, and what only `npm start` has: ADA that cost nothing, and a clock that
 * can be moved. Each with the name of its variable.
 */
export function insecureConnections(variables: Connections): string[] {
  if (isDevelopment(variables)) return [];
  const { TEMPORAL_TLS: isTemporalEncrypted } = variables;
  return [
    ...(variables.LEDGER_EMBEDDED === true ? ['LEDGER_EMBEDDED: must be false'] : []),
    ...(variables.CLOCK_OFFSET === 'database' ? ['CLOCK_OFFSET: must not be set'] : []),
    ...(isVerified(variables.DATABASE_URL) ? [] : ['DATABASE_URL: must contain sslmode=verify-full']),
    ...(isTemporalEncrypted === false ? ['TEMPORAL_TLS: must be true'] : []),
    ...(isTemporalEncrypted === true && !isKnownToTemporal(variables)
      ? ['TEMPORAL_API_KEY: must be set, or TEMPORAL_TLS_CLIENT_CERT_PATH']
      : []),
    ...(['LEDGER_URL', 'PRICE_FEED_URL'] as const).flatMap((variable) =>
      isPlain(variables[variable]) ? [`${variable}: must be an https URL`] : [],
    ),
  ].map((problem) => `${problem} outside development`);
}

function isPlain(url: string | undefined): boolean {
  return url !== undefined && new URL(url).protocol !== 'https:';
}

function isKnownToTemporal({
  TEMPORAL_API_KEY: key,
  TEMPORAL_TLS_CLIENT_CERT_PATH: certificate,
}: Connections): boolean {
  return key !== undefined || certificate !== undefined;
}

/** Whether the server has to prove its name. Parameters of the driver that weaken or replace the mode are refused. */
function isVerified(databaseUrl: string): boolean {
  const { searchParams } = new URL(databaseUrl);
  const weakening = ['ssl', 'uselibpqcompat'].some((name) => searchParams.has(name));
  return searchParams.getAll('sslmode').join(',') === 'verify-full' && !weakening;
}

/**
 * The URL of the database with `password`, which may have any character; the URL's own stays when none is given.
 * Throws an Error when the URL has no host, because then it has no place for a password.
 */
export function withPassword(databaseUrl: string, password: string | undefined): string {
  if (password === undefined) return databaseUrl;
  const url = new URL(databaseUrl);
  if (url.host === '') throw new Error('DATABASE_PASSWORD needs a DATABASE_URL with a host');
  url.password = encodeURIComponent(password);
  return url.href;
}
