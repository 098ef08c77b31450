import { z } from 'zod';
import { defaultImage } from '../../cardano/tokens/picture.ts';
import type { NetworkId } from '../../cardano/transaction.ts';
import type { Pace } from '../../anchoring/rules/pace.ts';
import { minLiquidity } from '../../settlement/rules/distribution.ts';
import { defaultDurationBounds } from '../units/time.ts';
import { lovelace } from '../units/money.ts';
import {
  ConfigurationError,
  flag,
  insecureConnections,
  integer,
  isDevelopment,
  optionalText,
  port,
  withPassword,
} from './environment.ts';
import { temporalConfig, temporalProblems, temporalVariables } from './temporal.ts';

const bound = z
  .strictObject({ min: z.int().min(1), max: z.int().min(1) })
  .refine(({ min, max }) => min <= max, 'min must not be above max');

/** DURATION_BOUNDS: bounds in seconds that replace those of the specification; bounds that are not named keep their default (design D2). */
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
      tradePriceAge: z.strictObject({ max: z.int().min(1) }).default(defaultDurationBounds.tradePriceAge),
    }),
  );

/** It is part of a transaction of at most 16 KB. */
const imageUri = z
  .string()
  .max(6000)
  .regex(
    /^(https?:\/\/|ipfs:\/\/|ar:\/\/|data:image\/)[\x21-\x7e]+$/,
    'must be a URI of https, http, ipfs, ar or data:image',
  );

/** Which network's addresses and slots are meant. */
export const networkVariable = z.enum(['mainnet', 'preprod', 'preview']);

/** The variables that the api and the worker both read. */
export const sharedVariables = z.object({
  ENVIRONMENT: z
    .string()
    .regex(/^[a-z0-9]+$/, 'must be lower case letters and digits')
    .default('production'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  DATABASE_PASSWORD: optionalText,
  DATABASE_CONNECTIONS: integer(1, 200).default(10),
  ...temporalVariables.shape,
  NETWORK: networkVariable,
  LEDGER_URL: z.url({ protocol: /^https?$/ }),
  LEDGER_PROJECT_ID: optionalText,
  LEDGER_EMBEDDED: flag.default(false),
  LEDGER_BLOCK_MS: integer(20, 600_000).optional(),
  CONFIRMATION_DEPTH: integer(1, 2160).optional(),
  MAX_ROLLBACK: integer(0, 2160).optional(),
  PRICE_FEED_URL: z.url({ protocol: /^https?$/ }),
  LIQUIDITY_ADDRESS: optionalText,
  OPERATOR_DEPOSITS: flag.optional(),
  LP_MINIMUM: integer(0, 45_000_000_000_000_000).optional(),
  VAULT_IMAGE: imageUri.default(defaultImage),
  VAULT_PAGE: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .optional(),
  ANCHOR_MIN_INTERVAL: integer(0, 600_000).optional(),
  ANCHOR_MAX_INTERVAL: integer(0, 600_000).optional(),
  ANCHOR_DAILY_BUDGET: integer(0, 1_000_000).default(100),
  CLOCK_OFFSET: z.enum(['none', 'database']).default('none'),
  DURATION_BOUNDS: durationBounds.optional(),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  METRICS_PORT: port.default(9464),
  SHUTDOWN_GRACE_SECONDS: integer(1, 600).default(30),
});

/** Configuration that the api and the worker share. */
export type SharedConfig = ReturnType<typeof sharedConfig>;

/** The shared configuration, with the defaults that depend on whether the ledger is the embedded one. Throws as `readVariables`. */
export function sharedConfig(variables: z.infer<typeof sharedVariables>) {
  const problems = [...insecureConnections(variables), ...temporalProblems(variables), ...paceProblems(variables)];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return {
    environment: variables.ENVIRONMENT,
    isDevelopment: isDevelopment(variables),
    logLevel: variables.LOG_LEVEL,
    databaseUrl: withPassword(variables.DATABASE_URL, variables.DATABASE_PASSWORD),
    databaseConnections: variables.DATABASE_CONNECTIONS,
    temporal: temporalConfig(variables),
    network: variables.NETWORK,
    networkId: networkIdOf(variables.NETWORK),
    ledger: ledgerConfig(variables),
    priceFeedUrl: variables.PRICE_FEED_URL,
    liquidityAddress: variables.LIQUIDITY_ADDRESS,
    /** Whether the operator's own wallet adds assets to vaults. Whoever may have it do so gives them to any vault. */
    operatorDeposits: variables.OPERATOR_DEPOSITS ?? isDevelopment(variables),
    /** A smaller ADA side of the liquidity share fails a vault (design D13). */
    lpMinimum: variables.LP_MINIMUM === undefined ? minLiquidity : lovelace(BigInt(variables.LP_MINIMUM)),
    /** What wallets show for the tokens of vaults. */
    tokenMetadata: { image: variables.VAULT_IMAGE, page: variables.VAULT_PAGE },
    anchorPace: anchorPace(variables),
    clockOffset: variables.CLOCK_OFFSET,
    durationBounds: variables.DURATION_BOUNDS ?? defaultDurationBounds,
    metrics: { host: variables.METRICS_HOST, port: variables.METRICS_PORT },
    shutdownGraceSeconds: variables.SHUTDOWN_GRACE_SECONDS,
  };
}

type AnchorVariables = Pick<
  z.infer<typeof sharedVariables>,
  'LEDGER_EMBEDDED' | 'ANCHOR_MIN_INTERVAL' | 'ANCHOR_MAX_INTERVAL' | 'ANCHOR_DAILY_BUDGET'
>;

/** The ADA of the embedded ledger cost nothing, so facts wait no longer there when the budget is spent. */
function anchorPace({ LEDGER_EMBEDDED: embedded, ...variables }: AnchorVariables): Pace {
  const minIntervalMs = variables.ANCHOR_MIN_INTERVAL ?? (embedded ? 100 : 5000);
  return {
    minIntervalMs,
    maxIntervalMs: variables.ANCHOR_MAX_INTERVAL ?? (embedded ? minIntervalMs : Math.max(minIntervalMs, 20_000)),
    dailyBudget: lovelace(BigInt(variables.ANCHOR_DAILY_BUDGET) * 1_000_000n),
  };
}

function paceProblems(variables: AnchorVariables): string[] {
  const { minIntervalMs, maxIntervalMs } = anchorPace(variables);
  return minIntervalMs <= maxIntervalMs ? [] : ['ANCHOR_MAX_INTERVAL: must be at least ANCHOR_MIN_INTERVAL'];
}

/** The ledger, and how it is followed. */
function ledgerConfig(variables: z.infer<typeof sharedVariables>) {
  const embedded = variables.LEDGER_EMBEDDED;
  const confirmationDepth = variables.CONFIRMATION_DEPTH ?? (embedded ? 3 : 15);
  return {
    url: variables.LEDGER_URL,
    projectId: variables.LEDGER_PROJECT_ID,
    embedded,
    /** Expected time between two blocks, in milliseconds. */
    blockMs: variables.LEDGER_BLOCK_MS ?? (embedded ? 1000 : 20_000),
    /** Blocks after which a transaction is final. */
    confirmationDepth,
    /** How many blocks a rollback may undo without an operator: none that is final, except in development. */
    maxRollback: variables.MAX_ROLLBACK ?? (embedded ? 2160 : confirmationDepth - 1),
  };
}

export function networkIdOf(network: z.infer<typeof networkVariable>): NetworkId {
  return network === 'mainnet' ? 1 : 0;
}
