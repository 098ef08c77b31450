import pg from 'pg';
import { sqlStateOf } from './sqlstate.ts';

/** A pooler is between the service and Postgres that does not give each connection a session of its own. */
export class SharedSessionError extends Error {
  constructor(reason: string, cause?: unknown) {
    super(`DATABASE_URL leads to a connection pooler that ${reason}. ${REMEDY}`, { cause });
    this.name = 'SharedSessionError';
  }
}

const REMEDY =
  'Set its pool_mode to session, or let DATABASE_URL lead to Postgres itself. See "With a connection pooler" in docs/operations/deployment.md.';

/** The driver would send these with its first message, where poolers refuse or ignore them. */
const SETTINGS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
const CONNECT_MS = 10_000;
/** How often to ask in each round. While others use the pooler, a client may get the same session again by chance. */
const ASKED = [1, 2, 3, 5, 8, 13];
const PROTOCOL_VIOLATION = '08P01';

type SessionSettings = Readonly<Record<string, string | number>>;

/** How to connect to the database of a URL, and the settings of sessions that the URL asks for. */
export function connectionOf(databaseUrl: string) {
  const url = new URL(databaseUrl);
  const settings: SessionSettings = Object.fromEntries(
    [...url.searchParams].filter(([name]) => SETTINGS.includes(name)),
  );
  for (const name of SETTINGS) url.searchParams.delete(name);
  return { connection: { connectionString: url.href, connectionTimeoutMillis: CONNECT_MS, keepAlive: true }, settings };
}

/** A pool whose sessions begin with these settings. Settings in the URL go before them. */
export function openSessions(databaseUrl: string, settings: SessionSettings, options: pg.PoolConfig): pg.Pool {
  const { connection, settings: ofUrl } = connectionOf(databaseUrl);
  const commands = Object.entries({ ...settings, ...ofUrl }).map(
    ([name, value]) => `set ${name} to ${pg.escapeLiteral(String(value))}`,
  );
  const verify: pg.PoolConfig['verify'] = (client, done) => {
    client.query(commands.join('; ')).then(() => {
      done();
    }, done);
  };
  return new pg.Pool({ ...options, ...connection, verify });
}

/**
 * Throws SharedSessionError unless each connection has a session of its own and hears notifications. The service keeps state in its
 * sessions: prepared statements, time limits, locks, and the channels that it listens to.
 */
export async function requireOwnSessions(databaseUrl: string): Promise<void> {
  const { connection } = connectionOf(databaseUrl);
  const [one, other] = [new pg.Client(connection), new pg.Client(connection)];
  // A query on a lost connection fails itself.
  for (const client of [one, other]) client.on('error', () => undefined);
  try {
    await one.connect();
    await other.connect();
    await requireDistinct(one, other);
    await requireNotified(one);
  } catch (error) {
    if (sqlStateOf(error) !== PROTOCOL_VIOLATION) throw error;
    throw new SharedSessionError(`refuses what the service needs (${String(error)})`, error);
  } finally {
    await Promise.all([one.end(), other.end()]);
  }
}

/** A shared session goes to whoever asks next when it is idle, and is kept from all others in a transaction. */
async function requireDistinct(one: pg.Client, other: pg.Client): Promise<void> {
  const own = await sessionOf(one);
  const shared = () => new SharedSessionError('shares the sessions of Postgres between its clients');
  for (const times of ASKED) {
    await other.query('begin');
    // Before `one` asks: where there is only this session, it would wait for it.
    if ((await sessionOf(other)) === own) throw shared();
    for (let asked = 0; asked < times; asked += 1) if ((await sessionOf(one)) !== own) throw shared();
    await other.query('commit');
  }
}

async function sessionOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

/** Postgres sends a session its own notification before it says that the statement has ended. */
async function requireNotified(client: pg.Client): Promise<void> {
  const heard: pg.Notification[] = [];
  client.on('notification', (notification) => heard.push(notification));
  await client.query('listen own_session');
  await client.query('notify own_session');
  if (heard.length === 0) throw new SharedSessionError('passes no notifications on');
}
