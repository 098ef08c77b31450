import { readdir, readFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';

const folder = new URL('./0001_baseline/', import.meta.url);

/** The whole schema at the first release, one file for each part, in the order of their names. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const file of (await readdir(folder)).sort())
    await sql.raw(await readFile(new URL(file, folder), 'utf8')).execute(db);
}
