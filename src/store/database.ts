import { Kysely, PostgresDialect, type Transaction as KyselyTransaction } from 'kysely';
import pg from 'pg';
import type { AccessTables } from './access-tables.ts';
import type { AnchorTables } from './anchor-tables.ts';
import type { ExecutionTables } from './execution-tables.ts';
import type { ProposalTables } from './proposal-tables.ts';
import type { SessionTables } from './session-tables.ts';
import type { StakeTables } from './stake-tables.ts';
import type { UnsolicitedTables } from './unsolicited-tables.ts';
import type { VaultTables } from './vault-tables.ts';

export type Database = VaultTables &
  AccessTables &
  SessionTables &
  StakeTables &
  AnchorTables &
  ProposalTables &
  ExecutionTables &
  UnsolicitedTables;
export type Db = Kysely<Database>;
export type Transaction = KyselyTransaction<Database>;

/**
 * Opens a pool of connections to Postgres. A connection that breaks while idle is reported through `onIdleError` and
 * replaced by the pool; a query on a broken one rejects.
 */
export function openDatabase(databaseUrl: string, onIdleError: (error: Error) => void, maxConnections = 10): Db {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: maxConnections, connectionTimeoutMillis: 10_000 });
  pool.on('error', onIdleError);
  // A checked-out client has no listener of the pool's: without this one a connection lost in a transaction ends the process.
  pool.on('connect', (client) => client.on('error', onIdleError));
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}
