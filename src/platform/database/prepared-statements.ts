import { createHash } from 'node:crypto';
import { type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import type pg from 'pg';
import { sqlStateOf } from './sqlstate.ts';

/** Follows the `select` of a statement that each connection parses and plans once: a wide one takes time to plan. */
export const PREPARED = '/* prepared */';
export const prepared = sql.raw(PREPARED);

/**
 * Begins a statement that is prepared within transactions too: one that returns no columns of tables, so that its plan cannot become
 * outdated by a migration.
 */
const PREPARED_CHANGE = '/* prepared change */';
export const preparedChange = sql.raw(PREPARED_CHANGE);

const isPreparedChange = (text: string) => text.startsWith(PREPARED_CHANGE);
const isPrepared = (text: string) => text.startsWith(`select ${PREPARED}`) || isPreparedChange(text);

/** A connection keeps so many plans: lists have a statement for each combination of filters. */
const MAX_PREPARED = 100;

/** "cached plan must not change result type": a migration has changed a table meanwhile. */
const FEATURE_NOT_SUPPORTED = '0A000';

/** The statements that a connection has prepared. */
interface Plans {
  /** The name under which a statement is prepared; null for one that is not. The one used the longest ago gives way to a new one. */
  readonly nameOf: (text: string) => string | null;
  /** Lets go of a plan: when the statement comes again, it is prepared again. */
  readonly drop: (text: string) => void;
}

/** The pool for Kysely, with its connections preparing the statements that begin with `prepared`. */
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

/** Sends what is asked before anything else happens in one write: each is a call of the system and wakes Postgres. */
function sendTogether({ connection: { stream } }: pg.PoolClient): void {
  stream.cork();
  process.nextTick(() => {
    stream.uncork();
  });
}

function preparingClient(client: pg.PoolClient): PostgresPoolClient {
  const plans = createPlans((name) => {
    close(client, name);
  });
  let beginning: Promise<unknown> | null = null;
  /** The last error of the transaction. */
  let failure: unknown;
  const begin = () => {
    failure = undefined;
    const sent = client.query('begin').finally(() => (beginning = null));
    // Whoever sends the next statement hears of it.
    sent.catch(() => undefined);
    beginning = sent;
    return { command: 'BEGIN', rowCount: null, rows: [] };
  };
  const send = async (text: string, values: readonly unknown[]) => {
    if (beginning !== null) {
      const [begun, answer] = await Promise.allSettled([beginning, client.query(text, [...values])]);
      if (begun.status === 'rejected') throw begun.reason;
      if (answer.status === 'rejected') throw answer.reason;
      return answer.value;
    }
    // An outdated plan would end the transaction, and with it the change of a caller.
    const mayPrepare = client.getTransactionStatus() !== 'T' || isPreparedChange(text);
    const name = mayPrepare ? plans.nameOf(text) : null;
    if (name === null) return client.query(text, [...values]);
    try {
      return await client.query({ name, text, values: [...values] });
    } catch (error) {
      if (sqlStateOf(error) !== FEATURE_NOT_SUPPORTED) throw error;
      plans.drop(text);
      return client.query(text, [...values]);
    }
  };
  const query = async (text: string, values: readonly unknown[] = []) => {
    sendTogether(client);
    // Nothing depends on its answer, so the first statement of the transaction follows at once.
    if (text === 'begin') return begin();
    try {
      return await send(text, values);
    } catch (error) {
      // Over a lost connection nothing is rolled back, which Postgres does by itself: why it was lost says more.
      if (text !== 'rollback') failure = error;
      throw failure ?? error;
    }
  };
  // Kysely passes a cursor only to streams, which this service has none of.
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => {
      client.release(destroy);
    },
  };
}

/** Lets Postgres forget a prepared statement, together with the query that is sent next. */
function close({ connection }: pg.PoolClient, name: string): void {
  connection.close({ type: 'S', name }, true);
  // The driver keeps the text of each name.
  const { parsedStatements } = connection as unknown as { readonly parsedStatements: Record<string, string> };
  Reflect.deleteProperty(parsedStatements, name);
}

/** A name means the same statement on every connection: one that is shared by mistake never runs another. */
function nameFor(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function createPlans(forget: (name: string) => void): Plans {
  /** By their texts; the one used the longest ago comes first. */
  const names = new Map<string, string>();
  const drop = (text: string) => {
    const name = names.get(text);
    names.delete(text);
    if (name !== undefined) forget(name);
  };
  return {
    drop,
    nameOf(text) {
      if (!isPrepared(text)) return null;
      const name = names.get(text) ?? nameFor(text);
      names.delete(text);
      names.set(text, name);
      const [oldest] = names.keys();
      if (names.size > MAX_PREPARED && oldest !== undefined) drop(oldest);
      return name;
    },
  };
}
