import { type Kysely, sql } from 'kysely';

/** What the operator's address held when it was last seen on a day (UTC, real time), and how much it became less on that day; in lovelace. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table operator_funds (
    day date primary key,
    held numeric not null,
    spent numeric not null,
    seen_at timestamptz not null
  )`.execute(db);
}
