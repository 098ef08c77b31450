import { z } from 'zod';
import { roles } from '../../access/rules.ts';
import {
  ConfigurationError,
  encryptionKey,
  integer,
  port,
  readVariables,
  type Environment,
  isDevelopment,
} from './environment.ts';
import { sharedConfig, sharedVariables } from './shared.ts';

/** Origins as browsers send them, separated by commas. */
const origins = z
  .string()
  .transform((text) => text.split(',').map((origin) => origin.trim()))
  .pipe(
    z.array(
      z.string().refine(isOrigin, 'must be scheme://host[:port], such as https://app.example (the port can be *)'),
    ),
  );

/** Roles by name, separated by commas. */
const roleNames = z
  .string()
  .transform((text) => text.split(',').map((role) => role.trim()))
  .pipe(z.array(z.string().refine((role) => roles.includes(role), `must be one of ${roles.join(', ')}`)));

/** The variables that the api reads. */
export const apiVariables = sharedVariables.extend({
  ENCRYPTION_KEY: encryptionKey,
  ENCRYPTION_KEY_OTHER: encryptionKey.optional(),
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: port.default(3000),
  PUBLIC_ORIGIN: z
    .string()
    .max(200)
    .refine(isExactOrigin, 'must be scheme://host[:port], such as https://app.example')
    .optional(),
  TRUSTED_PROXIES: integer(0, 10).default(0),
  CORS_ORIGINS: origins.default([]),
  DEFAULT_WALLET_ROLES: roleNames.default([]),
  RATE_LIMIT_DEFAULT: integer(1, 1_000_000_000).default(100),
  RATE_LIMIT_ADMIN: integer(1, 1_000_000_000).default(1000),
  RATE_LIMIT_WINDOW_SECONDS: integer(1, 86_400).default(900),
  FREE_ACTIONS_PER_DAY: integer(1, 1_000_000_000).optional(),
  REQUEST_TIMEOUT_SECONDS: integer(1, 600).default(30),
  RESPONSE_CACHE_MS: integer(0, 1000).default(1000),
  KEEP_ALIVE_SECONDS: integer(1, 600).default(75),
  BOOTSTRAP_ADMIN_KEY: z
    .string()
    .regex(/^vts_[a-z0-9]+_[A-Za-z0-9]+_[A-Za-z0-9_-]{32,}$/, 'must look like vts_<environment>_<id>_<secret>')
    .optional(),
});

/** Configuration of the api. It never holds a custody key (design D19). */
export type ApiConfig = ReturnType<typeof loadApiConfig>;

/** Reads the api's configuration; throws an Error that names every missing or invalid variable, never its value. */
export function loadApiConfig(environment: Environment = process.env) {
  const variables = readVariables(apiVariables, environment);
  const problems = problemsOf(variables);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return {
    ...sharedConfig(variables),
    encryptionKeys: { current: variables.ENCRYPTION_KEY, other: variables.ENCRYPTION_KEY_OTHER },
    host: variables.HOST,
    port: variables.PORT,
    publicOrigin: variables.PUBLIC_ORIGIN ?? `http://localhost:${variables.PORT}`,
    trustedProxies: variables.TRUSTED_PROXIES,
    corsOrigins: variables.CORS_ORIGINS,
    defaultWalletRoles: variables.DEFAULT_WALLET_ROLES,
    rateLimits: {
      default: variables.RATE_LIMIT_DEFAULT,
      admin: variables.RATE_LIMIT_ADMIN,
      windowSeconds: variables.RATE_LIMIT_WINDOW_SECONDS,
    },
    /** The ADA of the embedded ledger cost nothing. */
    anchoredActionsPerDay: variables.FREE_ACTIONS_PER_DAY ?? (variables.LEDGER_EMBEDDED ? 100_000 : 50),
    timeouts: { requestSeconds: variables.REQUEST_TIMEOUT_SECONDS, keepAliveSeconds: variables.KEEP_ALIVE_SECONDS },
    responseCacheMs: variables.RESPONSE_CACHE_MS,
    bootstrapAdminKey: variables.BOOTSTRAP_ADMIN_KEY,
  };
}

function problemsOf(variables: z.infer<typeof apiVariables>): string[] {
  const { ENVIRONMENT: own, BOOTSTRAP_ADMIN_KEY: key, PUBLIC_ORIGIN: origin } = variables;
  const isForeign = key !== undefined && !key.startsWith(`vts_${own}_`);
  return [
    ...(isForeign ? [`BOOTSTRAP_ADMIN_KEY: must be a key for the ENVIRONMENT ${own}`] : []),
    ...(isDevelopment(variables) || origin?.startsWith('https:') === true
      ? []
      : ['PUBLIC_ORIGIN: must be an https origin outside development']),
  ];
}

function isOrigin(text: string): boolean {
  return isExactOrigin(text.replace(/:\*$/, ''));
}

function isExactOrigin(text: string): boolean {
  return !text.includes('*') && URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
}
