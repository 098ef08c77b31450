import { readdir } from 'node:fs/promises';
import { Kysely, PostgresDialect } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';

const folder = new URL('./migrations/', import.meta.url);

/** Migrates the database to the newest schema; safe to run from several processes at once. Throws the error of a failed migration. */
export async function migrateToLatest(databaseUrl: string): Promise<void> {
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl, max: 2 }) }),
  });
  try {
    const { error } = await new Migrator({ db, provider: { getMigrations: readMigrations } }).migrateToLatest();
    if (error) throw error instanceof Error ? error : new Error('a migration failed', { cause: error });
  } finally {
    await db.destroy();
  }
}

async function readMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.ts')).sort();
  const entries = files.map(async (file) => {
    const migration = (await import(new URL(file, folder).href)) as Migration;
    return [file.replace(/\.ts$/, ''), migration] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
