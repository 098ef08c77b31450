import { type Kysely, sql } from 'kysely';

/** What the anchors of a lane have cost on a day (UTC, real time), in lovelace. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table anchor_lanes add column spent_on date, add column spent bigint not null default 0`.execute(db);
}
