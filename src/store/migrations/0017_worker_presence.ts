import { type Kysely, sql } from 'kysely';

/** When a worker last said that it takes tasks; no row until one has. A table of its own: whatever locks another row never delays it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table worker_presence (
    only_row boolean primary key default true check (only_row),
    seen_at timestamptz not null
  )`.execute(db);
}
