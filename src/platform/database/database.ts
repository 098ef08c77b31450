import { Kysely, PostgresDialect, type Transaction as KyselyTransaction } from 'kysely';
import { openSessions } from './postgres-sessions.ts';
import { preparingPool } from './prepared-statements.ts';
import type { AccessTables, SessionTables } from './tables/access.ts';
import type { AnchorTables, QuarantineTables, TransactionTables, UnsolicitedTables } from './tables/ledger.ts';
import type { AssetTables, InvestmentTables, PriceTables, SettlementTables } from './tables/deposits.ts';
import type { ExecutionTables, ProposalTables, StakeTables } from './tables/governance.ts';
import type {
  OutboxTables,
  PauseTables,
  PlatformTables,
  ReconciliationTables,
  VersionTables,
} from './tables/platform.ts';
import type { RegisteredTypeTables, RotationTables, TerminationTables, VaultTables } from './tables/vaults.ts';
import { sqlStateOf } from './sqlstate.ts';

export type Database = VaultTables &
  PlatformTables &
  PauseTables &
  TransactionTables &
  AssetTables &
  InvestmentTables &
  PriceTables &
  SettlementTables &
  OutboxTables &
  AccessTables &
  SessionTables &
  StakeTables &
  TerminationTables &
  AnchorTables &
  ProposalTables &
  ExecutionTables &
  QuarantineTables &
  ReconciliationTables &
  RegisteredTypeTables &
  RotationTables &
  UnsolicitedTables &
  VersionTables;
export type Db = Kysely<Database>;
export type Transaction = KyselyTransaction<Database>;

/** As long as most activities may take (workflows/activity-proxies.ts). A transaction that waits for an advisory lock waits for writers, which take seconds. */
const STATEMENT_MS = 60_000;
/** How much longer than Postgres' own limit a query may take, for a server that no longer responds. */
const SILENCE_MS = 10_000;
/** A process that freezes in a transaction holds its locks no longer than this. */
const IDLE_IN_TRANSACTION_MS = 30_000;
/** A lost connection is detected soon, also while it is idle. */
const KEEP_ALIVE_AFTER_MS = 10_000;

interface DatabaseOptions {
  readonly statementMs?: number | undefined;
  /** Called after each statement. */
  readonly onStatement?: () => void;
}

/**
 * Opens a pool of connections to Postgres. A connection that breaks while idle is reported through `onIdleError` and
 * replaced by the pool; a query on a broken one rejects, as does a statement that takes longer than `statementMs`. Parameters
 * in the URL go before the deadlines set here.
 */
export function openDatabase(
  databaseUrl: string,
  onIdleError: (error: Error) => void,
  maxConnections = 10,
  { statementMs = STATEMENT_MS, onStatement }: DatabaseOptions = {},
): Db {
  const settings = {
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    // It compiles what Postgres believes to be costly, which takes longer than any statement of the service.
    jit: 'off',
  };
  const pool = openSessions(databaseUrl, settings, {
    max: maxConnections,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    query_timeout: statementMs + SILENCE_MS,
  });
  pool.on('error', onIdleError);
  // A checked-out client has no error listener of the pool: without this one, a connection lost in a transaction ends the process.
  pool.on('connect', (client) => client.on('error', onIdleError));
  return new Kysely<Database>({
    dialect: new PostgresDialect({ pool: preparingPool(pool) }),
    ...(onStatement && { log: onStatement }),
  });
}

/** The statement ran longer than `statement_timeout`. */
const QUERY_CANCELED = '57014';

/** Whether a query failed because every connection was in use, or because it took too long: a later one may succeed. */
export function isDatabaseBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message === 'timeout exceeded when trying to connect' || sqlStateOf(error) === QUERY_CANCELED;
}
