import { createHash } from 'node:crypto';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { sqlStateOf } from './sqlstate.ts';

/** Lists have a statement for each combination of filters, and Postgres keeps memory for each: a connection that has so many is replaced. */
const MAX_PREPARED = 200;

/** "cached plan must not change result type": a migration has changed a table since the statement was prepared. */
const FEATURE_NOT_SUPPORTED = '0A000';

/** The pool for Kysely. Each connection parses and plans a statement once, unless it is in a transaction: most take longer to plan than to run. */
export function preparingPool(pool: pg.Pool): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      // Kysely knows a connection by its client.
      const known = clients.get(client) ?? preparingClient(client);
      clients.set(client, known);
      return known;
    },
  };
}

function preparingClient(client: pg.PoolClient): PostgresPoolClient {
  /** By their texts. */
  const names = new Map<string, string>();
  let isOutdated = false;
  /** The error that ended the connection. */
  let end: { readonly error: unknown } | null = null;

  const run = async (text: string, values: readonly unknown[]) => {
    // A transaction ends with its first error, and with it the change of a caller.
    if (isOutdated || client.getTransactionStatus() === 'T') return client.query(text, [...values]);
    const name = names.get(text) ?? createHash('sha256').update(text).digest('base64url');
    names.set(text, name);
    try {
      return await client.query({ name, text, values: [...values] });
    } catch (error) {
      if (sqlStateOf(error) !== FEATURE_NOT_SUPPORTED) throw error;
      isOutdated = true;
      return client.query(text, [...values]);
    }
  };
  const query = async (text: string, values: readonly unknown[] = []) => {
    // The rollback that follows could only say that there is no connection.
    if (end) throw end.error;
    try {
      return await run(text, values);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.severity === 'FATAL') end = { error };
      throw error;
    }
  };
  // Kysely passes a cursor only to streams, which this service has none of.
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => {
      client.release(destroy === true || isOutdated || end !== null || names.size >= MAX_PREPARED);
    },
  };
}
