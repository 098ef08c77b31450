import { readdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { openSessions } from './postgres-sessions.ts';
import { sqlStateOf } from './sqlstate.ts';

const folder = new URL('./migrations/', import.meta.url);

/** Who reads or writes a table queues behind a migration that waits for it, so it gives up soon and lets them continue. */
const LOCK_MS = 2_000;
const PAUSE_MS = 3_000;
/** Some eight minutes: another process may migrate a large table, and a reader may be at it. */
const TRIES = 100;
/** Somebody had a lock for too long, or needs one that the migration has: both end with a further try. */
const LOCKED = ['55P03', '40P01'];

/**
 * Migrates the database to the newest schema, each migration in a transaction of its own; safe to run from several processes at once and
 * while others read and write. A database that a newer release has migrated further is accepted, so that processes of two releases can
 * run and restart beside each other. Throws the error of a failed migration, and when a lock that it needs is never free.
 */
export async function migrateToLatest(
  databaseUrl: string,
  migrations?: Readonly<Record<string, Migration>>,
): Promise<void> {
  const pool = openSessions(databaseUrl, { lock_timeout: LOCK_MS }, { max: 2 });
  // A connection that is lost between two statements would end the process; the next statement reports it.
  const ignore = () => undefined;
  pool.on('error', ignore).on('connect', (client) => client.on('error', ignore));
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const known = migrations ?? (await readMigrations());
    await requireSameLine(db, known);
    const getMigrations = async () => ({ ...(await newerMigrations(db, known)), ...known });
    const migrator = new Migrator({ db, provider: { getMigrations } });
    while (await migrateNext(migrator));
  } finally {
    await db.destroy();
  }
}

/** Runs the next migration; false when there is none. */
async function migrateNext(migrator: Migrator): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    const { error, results = [] } = await migrator.migrateUp();
    if (error === undefined) return results.length > 0;
    if (!isLocked(error) || tries === TRIES)
      throw error instanceof Error ? error : new Error('a migration failed', { cause: error });
    await pause(PAUSE_MS);
  }
}

function isLocked(error: unknown): boolean {
  return LOCKED.includes(sqlStateOf(error));
}

/** The names of this release's migrations, in order. */
export async function migrationNames(): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.ts')).sort();
  return files.map((file) => file.replace(/\.ts$/, ''));
}

async function readMigrations(): Promise<Record<string, Migration>> {
  const entries = (await migrationNames()).map(async (name) => {
    const migration = (await import(new URL(`${name}.ts`, folder).href)) as Migration;
    return [name, migration] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** A database whose migrations are neither an earlier nor a later state of those of this release. */
export class OtherDatabase extends Error {
  override readonly name = 'OtherDatabase';
}

/** Throws OtherDatabase when the database lacks migrations of this release, and has others instead. */
async function requireSameLine(db: Kysely<unknown>, known: Readonly<Record<string, Migration>>): Promise<void> {
  const done = await doneMigrations(db);
  const others = done.filter((name) => !(name in known));
  if (others[0] === undefined || Object.keys(known).every((name) => done.includes(name))) return;
  throw new OtherDatabase(`the database was made by another version of this service (migration ${others[0]})`);
}

/** The migrations of a newer release that this database has: nothing is left to do for them. */
async function newerMigrations(
  db: Kysely<unknown>,
  known: Readonly<Record<string, Migration>>,
): Promise<Record<string, Migration>> {
  const done = await doneMigrations(db);
  const newest = Object.keys(known).at(-1) ?? '';
  const isDone: Migration = { up: () => Promise.resolve() };
  return Object.fromEntries(done.filter((name) => name > newest).map((name) => [name, isDone]));
}

async function doneMigrations(db: Kysely<unknown>): Promise<string[]> {
  const { rows: tables } = await sql<{ found: string | null }>`select to_regclass('kysely_migration') as found`.execute(
    db,
  );
  if (!tables[0]?.found) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}
