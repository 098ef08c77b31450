import { type Kysely, sql } from 'kysely';

/** The power that opened the vote on a proposal: its stakes may leave afterwards. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'alter table proposals add column opened_with numeric(20, 0)',
  // The power that opened existing votes is not known; the current power of their endorsers is closest.
  `update proposals p set opened_with = (
    select coalesce(sum(s.voting_power), 0) from stakes s where s.vault_id = p.vault_id
      and s.wallet in (select p.proposer union select e.wallet from endorsements e where e.proposal_id = p.id)
  ) where voting_starts_at is not null`,
  'alter table proposals add constraint opened_with_some_power check ((opened_with is null) = (voting_starts_at is null))',
];
