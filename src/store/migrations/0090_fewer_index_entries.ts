import { type Kysely, sql } from 'kysely';

const statements = [
  // Room on its page for the next version of each row: a change of no indexed column then adds no entry to any index. All rows of a page
  // change at once, when an anchor confirms votes and when a proposal releases stakes.
  'alter table stakes set (fillfactor = 50)',
  'alter table votes set (fillfactor = 50)',
  // As before, by a column that stays when a vote is confirmed.
  'drop index one_live_vote',
  'create unique index one_live_vote on votes (proposal_id, wallet) include (decision, amount) where revoked_at is null',
  // Nobody looks for an event by its number before it has one.
  'drop index outbox_by_vault',
  'create index outbox_by_vault on outbox (vault_id, seq) where seq is not null',
  'drop index outbox_by_proposal',
  `create index outbox_by_proposal on outbox ((data ->> 'proposalId'), seq)
    where seq is not null and data ->> 'proposalId' is not null`,
  'drop index outbox_by_actor',
  `create index outbox_by_actor on outbox (actor, seq) where seq is not null and actor <> 'platform'`,
  // What a vote uses is inserted with the vote, whose own trigger records that its vault has changed.
  'drop trigger changes_recorded_on_insert on vote_stakes',
];

/** A vote, its event and the change of its stake add fewer entries to indexes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
