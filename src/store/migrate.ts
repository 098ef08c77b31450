import { readdir } from 'node:fs/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';

const folder = new URL('./migrations/', import.meta.url);

/**
 * Migrates the database to the newest schema; safe to run from several processes at once. A database that a newer release has
 * migrated further is accepted, so that processes of two releases can run and restart beside each other. Throws the error of a
 * failed migration.
 */
export async function migrateToLatest(databaseUrl: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  // A connection that is lost between two statements would end the process; the next statement reports it.
  const ignore = () => undefined;
  pool.on('error', ignore).on('connect', (client) => client.on('error', ignore));
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const migrations = await readMigrations();
    const getMigrations = async () => ({ ...(await newerMigrations(db, migrations)), ...migrations });
    const { error } = await new Migrator({ db, provider: { getMigrations } }).migrateToLatest();
    if (error) throw error instanceof Error ? error : new Error('a migration failed', { cause: error });
  } finally {
    await db.destroy();
  }
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

/** The migrations of a newer release that this database has: nothing is left to do for them. */
async function newerMigrations(
  db: Kysely<unknown>,
  known: Record<string, Migration>,
): Promise<Record<string, Migration>> {
  const { rows: tables } = await sql<{ found: string | null }>`select to_regclass('kysely_migration') as found`.execute(
    db,
  );
  if (!tables[0]?.found) return {};
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  const newest = Object.keys(known).at(-1) ?? '';
  const isDone: Migration = { up: () => Promise.resolve() };
  return Object.fromEntries(rows.filter(({ name }) => name > newest).map(({ name }) => [name, isDone]));
}
