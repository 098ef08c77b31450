import { type Kysely, sql } from 'kysely';

const statements = [
  // What a vote uses is inserted with the vote, whose own trigger records that its vault has changed.
  'drop trigger changes_recorded_on_insert on vote_stakes',
  // Room on its page for the next version of each row: a change of no indexed column then adds no entry to any index. All rows of a page
  // change at once, when an anchor confirms votes and when a proposal releases stakes.
  'alter table stakes set (fillfactor = 50)',
  'alter table votes set (fillfactor = 50)',
];

/** A vote and the change of its stake add fewer entries to indexes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
