import { sql } from 'kysely';
import type { Tally } from '../../votes/rules.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { readTally } from './proposals.ts';
import type { Vote } from '../../votes/queries/votes.ts';

/** What decides whether another vote replaces this one. */
export type LiveVote = Pick<Vote, 'id' | 'proposalId' | 'wallet' | 'status'>;

/** The live votes of these wallets in these proposals. */
export async function liveVotes(
  db: Db | Transaction,
  { proposalIds, wallets }: { proposalIds: readonly string[]; wallets: readonly string[] },
): Promise<LiveVote[]> {
  if (proposalIds.length === 0 || wallets.length === 0) return [];
  return db
    .selectFrom('votes')
    .select(['id', 'proposal_id as proposalId', 'wallet', 'status'])
    .where('proposal_id', '=', anyOf(proposalIds))
    .where('wallet', '=', anyOf(wallets))
    .where('revoked_at', 'is', null)
    .execute();
}

/** The sums of the live votes by proposal; a proposal without votes is left out. */
export async function liveTallies(
  db: Db | Transaction,
  proposalIds: readonly string[],
): Promise<ReadonlyMap<string, Tally>> {
  const { rows } = await sql<Record<'proposal_id' | 'approve' | 'reject' | 'voters', string>>`
    select proposal_id, count(*) as voters,
      coalesce(sum(amount) filter (where decision = 'APPROVE'), 0) as approve,
      coalesce(sum(amount) filter (where decision = 'REJECT'), 0) as reject
    from votes where proposal_id = any(${proposalIds}::uuid[]) and revoked_at is null
    group by proposal_id
  `.execute(db);
  return new Map(rows.map((row) => [row.proposal_id, readTally(row)]));
}

/** The leaves of the live votes of a proposal, in hex and sorted. */
export async function liveLeaves(db: Db, proposalId: string): Promise<string[]> {
  const { rows } = await sql<{ leaf: string }>`
    select f.leaf from votes v join anchor_facts f on f.id = v.id
    where v.proposal_id = ${proposalId} and v.revoked_at is null order by f.leaf collate "C"
  `.execute(db);
  return rows.map(({ leaf }) => leaf);
}
