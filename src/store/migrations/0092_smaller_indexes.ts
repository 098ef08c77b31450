import { type Kysely, sql } from 'kysely';

const statements = [
  // By a column that stays when a vote is confirmed.
  `create unique index one_live_vote_by_time on votes (proposal_id, wallet) include (decision, amount) where revoked_at is null`,
  // Nobody looks for an event by its number before it has one.
  'create index numbered_by_vault on outbox (vault_id, seq) where seq is not null',
  `create index numbered_by_proposal on outbox ((data ->> 'proposalId'), seq)
    where seq is not null and data ->> 'proposalId' is not null`,
  `create index numbered_by_actor on outbox (actor, seq) where seq is not null and actor <> 'platform'`,
];

/** Indexes that take the places of larger ones in the next migration: while they are built, votes and events can be read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
