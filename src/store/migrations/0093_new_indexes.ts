import { type Kysely, sql } from 'kysely';

const places = [
  ['one_live_vote', 'one_live_vote_by_time'],
  ...['vault', 'proposal', 'actor'].map((topic) => [`outbox_by_${topic}`, `numbered_by_${topic}`]),
];

/** The indexes of 0092 take the places of the old ones. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [old, built] of places) {
    await sql.raw(`drop index ${old}`).execute(db);
    await sql.raw(`alter index ${built} rename to ${old}`).execute(db);
  }
}
