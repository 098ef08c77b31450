import { type Kysely, sql } from 'kysely';

/** The wallet's own signature of a vote, and the anchored root of all votes that a closed proposal counted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table votes
    add column nonce text,
    add column signature text,
    add column signing_key text,
    add check (num_nulls(nonce, signature, signing_key) in (0, 3))`,
  `create unique index one_vote_a_nonce on votes (proposal_id, wallet, nonce) where nonce is not null`,
  `alter table proposals
    add column closing_fact_id uuid,
    add column votes_root text,
    add check (votes_root is null or closing_fact_id is not null)`,
];
