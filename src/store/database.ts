import { Kysely, PostgresDialect, type Transaction as KyselyTransaction } from 'kysely';
import pg from 'pg';
import type { AccessTables } from './tables/access.ts';
import type { AnchorTables } from './tables/anchors.ts';
import type { DepositTables } from './tables/deposits.ts';
import type { ExecutionTables } from './tables/executions.ts';
import type { OutboxTables } from './tables/outbox.ts';
import type { PlatformTables } from './tables/platform.ts';
import type { ProposalTables } from './tables/proposals.ts';
import type { SessionTables } from './tables/sessions.ts';
import type { SettlementTables } from './tables/settlements.ts';
import type { StakeTables } from './tables/stakes.ts';
import type { TransactionTables } from './tables/transactions.ts';
import type { UnsolicitedTables } from './tables/unsolicited.ts';
import type { VaultTables } from './tables/vaults.ts';

export type Database = VaultTables &
  PlatformTables &
  TransactionTables &
  DepositTables &
  SettlementTables &
  OutboxTables &
  AccessTables &
  SessionTables &
  StakeTables &
  AnchorTables &
  ProposalTables &
  ExecutionTables &
  UnsolicitedTables;
export type Db = Kysely<Database>;
export type Transaction = KyselyTransaction<Database>;

/** As long as most activities may take (workflows/activities.ts). Who waits for a fence waits for writers, and they for seconds. */
const STATEMENT_MS = 60_000;
/** Past what Postgres itself ends: then nobody is there who could. */
const SILENCE_MS = STATEMENT_MS + 10_000;
/** The outboxRelay's transaction waits for Temporal, 5 s at most for each of 50 notices. Nobody else's waits for anything. */
const IDLE_IN_TRANSACTION_MS = 300_000;
/** A connection whose other end is gone is noticed soon after, also while nothing is asked. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/**
 * Opens a pool of connections to Postgres. A connection that breaks while idle is reported through `onIdleError` and
 * replaced by the pool; a query on a broken one rejects, as does one that takes longer than a minute. Parameters in the
 * URL go before the deadlines set here.
 */
export function openDatabase(databaseUrl: string, onIdleError: (error: Error) => void, maxConnections = 10): Db {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: maxConnections,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: SILENCE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  });
  pool.on('error', onIdleError);
  // A checked-out client has no listener of the pool's: without this one a connection lost in a transaction ends the process.
  pool.on('connect', (client) => client.on('error', onIdleError));
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}
