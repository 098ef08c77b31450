import { type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import type pg from 'pg';
import { sqlStateOf } from './sqlstate.ts';

/** Follows the `select` of a statement that each connection parses and plans once: a wide one takes time to plan. */
export const PREPARED = '/* prepared */';
export const prepared = sql.raw(PREPARED);

const isPrepared = (text: string) => text.startsWith(`select ${PREPARED}`);

/** A connection keeps the plan of each for as long as it lives, and lists have a statement for each combination of filters. */
const MAX_PREPARED = 100;

/** "cached plan must not change result type": a migration has changed a table meanwhile. */
const FEATURE_NOT_SUPPORTED = '0A000';

/** The names of the prepared statements by their texts; null for one whose plan became outdated. */
type PlanNames = Map<string, string | null>;

/** The pool for Kysely, with its connections preparing the statements that begin with `prepared`. */
export function preparingPool(pool: pg.Pool): PostgresPool {
  const names: PlanNames = new Map();
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      // Kysely knows a connection by its client.
      const known = clients.get(client) ?? preparingClient(client, names);
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

function preparingClient(client: pg.PoolClient, names: PlanNames): PostgresPoolClient {
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
    const name = client.getTransactionStatus() === 'T' ? null : nameOf(text, names);
    if (name === null) return client.query(text, [...values]);
    try {
      return await client.query({ name, text, values: [...values] });
    } catch (error) {
      if (sqlStateOf(error) !== FEATURE_NOT_SUPPORTED) throw error;
      names.set(text, null);
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

/** The name under which a statement is prepared; null for one that is not. */
function nameOf(text: string, names: PlanNames): string | null {
  if (!isPrepared(text)) return null;
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= MAX_PREPARED) return null;
  const name = `read_${names.size}`;
  names.set(text, name);
  return name;
}
