import { z } from 'zod';
import { minLiquidity } from './domain/settlement/distribution.ts';
import { defaultDurationBounds } from './domain/units/duration.ts';
import { lovelace } from './domain/units/money.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const integer = (least: number, most: number) => z.coerce.number().int().min(least).max(most);
const port = integer(0, 65_535);
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const optionalText = z.string().min(1).optional();

const bound = z
  .strictObject({ min: z.int().min(1), max: z.int().min(1) })
  .refine(({ min, max }) => min <= max, 'min is above max');

/** Lengths other than the specification's, in seconds; those not named keep their default (design D2). */
const durationBounds = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('must be JSON');
      return z.NEVER;
    }
  })
  .pipe(
    z.strictObject({
      assetWindow: bound.default(defaultDurationBounds.assetWindow),
      investmentWindow: bound.default(defaultDurationBounds.investmentWindow),
      voting: bound.default(defaultDurationBounds.voting),
      lock: bound.default(defaultDurationBounds.lock),
      execution: bound.default(defaultDurationBounds.execution),
      valuationAge: z.strictObject({ max: z.int().min(1) }).default(defaultDurationBounds.valuationAge),
    }),
  );

/** Origins as browsers send them, separated by commas. */
const origins = z
  .string()
  .transform((text) => text.split(',').map((origin) => origin.trim()))
  .pipe(z.array(z.string().refine(isOrigin, 'must be scheme://host[:port], as https://app.example')));

const encryptionKey = z
  .base64()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((key) => key.length === 32, 'must be 32 bytes in base64');

const sharedVariables = {
  ENVIRONMENT: z
    .string()
    .regex(/^[a-z0-9]+$/, 'must be lower case letters and digits')
    .default('production'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  DATABASE_CONNECTIONS: integer(1, 200).default(10),
  TEMPORAL_ADDRESS: z.string().regex(/^[^\s/:]+:\d+$/, 'must be host:port'),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  TEMPORAL_TASK_QUEUE: z.string().min(1).default('vaults'),
  NETWORK: z.enum(['mainnet', 'preprod', 'preview']),
  LEDGER_URL: z.url({ protocol: /^https?$/ }),
  LEDGER_PROJECT_ID: optionalText,
  LEDGER_EMBEDDED: flag.default(false),
  LEDGER_BLOCK_MS: integer(20, 600_000).optional(),
  CONFIRMATION_DEPTH: integer(1, 2160).optional(),
  PRICE_FEED_URL: z.url({ protocol: /^https?$/ }),
  LIQUIDITY_ADDRESS: optionalText,
  LP_MINIMUM: integer(0, 45_000_000_000_000_000).optional(),
  ANCHOR_MIN_INTERVAL: integer(0, 600_000).optional(),
  CLOCK_OFFSET: z.enum(['none', 'database']).default('none'),
  DURATION_BOUNDS: durationBounds.optional(),
  ENCRYPTION_KEY: encryptionKey,
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  METRICS_PORT: port.default(9464),
  SHUTDOWN_GRACE_SECONDS: integer(1, 600).default(30),
};

const apiVariables = z.object({
  ...sharedVariables,
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: port.default(3000),
  TRUSTED_PROXIES: integer(0, 10).default(0),
  CORS_ORIGINS: origins.default([]),
  RATE_LIMIT_DEFAULT: integer(1, 1_000_000_000).default(100),
  RATE_LIMIT_ADMIN: integer(1, 1_000_000_000).default(1000),
  RATE_LIMIT_WINDOW_SECONDS: integer(1, 86_400).default(900),
  REQUEST_TIMEOUT_SECONDS: integer(1, 600).default(30),
  KEEP_ALIVE_SECONDS: integer(1, 600).default(75),
  BOOTSTRAP_ADMIN_KEY: z
    .string()
    .regex(/^vts_[a-z0-9]+_[A-Za-z0-9]+_[A-Za-z0-9_-]{32,}$/, 'must look like vts_<environment>_<id>_<secret>')
    .optional(),
});

const workerVariables = z.object({
  ...sharedVariables,
  OPERATOR_MNEMONIC: z.string().regex(/^([a-z]+ ){11,23}[a-z]+$/, 'must be 12 to 24 words'),
  WORKFLOW_BUNDLE: optionalText,
});

type SharedVariables = Omit<z.infer<typeof workerVariables>, 'OPERATOR_MNEMONIC' | 'WORKFLOW_BUNDLE'>;

/** Configuration of the api. It never holds a custody key (design D19). */
export type ApiConfig = ReturnType<typeof loadApiConfig>;
/** Configuration of the worker. */
export type WorkerConfig = ReturnType<typeof loadWorkerConfig>;

/** Reads the api's configuration; throws an Error that names every variable that is missing or wrong, never its value. */
export function loadApiConfig(environment: Environment = process.env) {
  const variables = read(apiVariables, environment);
  return {
    ...sharedConfig(variables),
    host: variables.HOST,
    port: variables.PORT,
    trustedProxies: variables.TRUSTED_PROXIES,
    corsOrigins: variables.CORS_ORIGINS,
    rateLimits: {
      default: variables.RATE_LIMIT_DEFAULT,
      admin: variables.RATE_LIMIT_ADMIN,
      windowSeconds: variables.RATE_LIMIT_WINDOW_SECONDS,
    },
    timeouts: { requestSeconds: variables.REQUEST_TIMEOUT_SECONDS, keepAliveSeconds: variables.KEEP_ALIVE_SECONDS },
    bootstrapAdminKey: variables.BOOTSTRAP_ADMIN_KEY,
  };
}

/** Reads the worker's configuration; throws an Error that names every variable that is missing or wrong, never its value. */
export function loadWorkerConfig(environment: Environment = process.env) {
  const variables = read(workerVariables, environment);
  return {
    ...sharedConfig(variables),
    operatorMnemonic: variables.OPERATOR_MNEMONIC,
    /** A workflow bundle built before, else the worker builds its own. */
    workflowBundle: variables.WORKFLOW_BUNDLE,
  };
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
}

function sharedConfig(variables: SharedVariables) {
  const embedded = variables.LEDGER_EMBEDDED;
  return {
    environment: variables.ENVIRONMENT,
    logLevel: variables.LOG_LEVEL,
    databaseUrl: variables.DATABASE_URL,
    databaseConnections: variables.DATABASE_CONNECTIONS,
    temporal: {
      address: variables.TEMPORAL_ADDRESS,
      namespace: variables.TEMPORAL_NAMESPACE,
      taskQueue: variables.TEMPORAL_TASK_QUEUE,
    },
    network: variables.NETWORK,
    ledger: {
      url: variables.LEDGER_URL,
      projectId: variables.LEDGER_PROJECT_ID,
      embedded,
      /** Expected time between two blocks, in milliseconds. */
      blockMs: variables.LEDGER_BLOCK_MS ?? (embedded ? 1000 : 20_000),
      /** Blocks after which a transaction is final. */
      confirmationDepth: variables.CONFIRMATION_DEPTH ?? (embedded ? 3 : 15),
    },
    priceFeedUrl: variables.PRICE_FEED_URL,
    liquidityAddress: variables.LIQUIDITY_ADDRESS,
    /** A smaller ADA side of the liquidity share fails a vault (design D13). */
    lpMinimum: variables.LP_MINIMUM === undefined ? minLiquidity : lovelace(BigInt(variables.LP_MINIMUM)),
    anchorMinIntervalMs: variables.ANCHOR_MIN_INTERVAL ?? (embedded ? 100 : 5000),
    clockOffset: variables.CLOCK_OFFSET,
    durationBounds: variables.DURATION_BOUNDS ?? defaultDurationBounds,
    encryptionKey: variables.ENCRYPTION_KEY,
    metrics: { host: variables.METRICS_HOST, port: variables.METRICS_PORT },
    shutdownGraceSeconds: variables.SHUTDOWN_GRACE_SECONDS,
  };
}

function read<Variables>(schema: z.ZodType<Variables>, environment: Environment): Variables {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => {
    const [variable, ...inside] = issue.path.map(String);
    if (variable === undefined || given[variable] === undefined) return `${variable ?? 'The environment'} is not set`;
    return `${[variable, ...inside].join('.')}: ${issue.message}`;
  });
  throw new Error(`The configuration is not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
}
