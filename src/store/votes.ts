import { type Selectable, sql } from 'kysely';
import { type Instant, instant } from '../domain/units/instant.ts';
import { type BaseUnits, baseUnits } from '../domain/units/money.ts';
import type { Tally } from '../domain/vote/tally.ts';
import {
  type StakeUse,
  type VoteDecision,
  type VoteSignature,
  type VoteStatus,
  voteTransition,
  type VotingPeriod,
} from '../domain/vote/vote.ts';
import type { Db, Transaction } from './database.ts';
import { type Page, pageOfRows } from './page.ts';
import type { VotesTable } from './tables/proposals.ts';
import { readTally } from './stored-proposal.ts';

export interface Vote {
  readonly id: string;
  readonly proposalId: string;
  readonly wallet: string;
  readonly decision: VoteDecision;
  readonly amount: BaseUnits;
  readonly status: VoteStatus;
  readonly castAt: Instant;
  readonly confirmedAt: Instant | null;
  readonly revokedAt: Instant | null;
  /** Null when the wallet did not sign the vote itself. */
  readonly signed: VoteSignature | null;
}

export interface NewVote extends Omit<Vote, 'status' | 'confirmedAt'> {
  readonly uses: readonly StakeUse[];
}

/** Writes many votes, and the stakes that carry them, in two statements. */
export async function insertVotes(tx: Transaction, votes: readonly NewVote[]): Promise<void> {
  await sql`
    insert into votes (id, proposal_id, wallet, decision, amount, status, cast_at, revoked_at,
      nonce, signature, signing_key)
    select id, proposal_id, wallet, decision, amount,
      case when revoked_at is null then 'CAST' else 'REVOKED' end, cast_at, revoked_at,
      nonce, signature, signing_key
    from unnest(
      ${votes.map(({ id }) => id)}::uuid[], ${votes.map(({ proposalId }) => proposalId)}::uuid[],
      ${votes.map(({ wallet }) => wallet)}::text[], ${votes.map(({ decision }) => decision)}::text[],
      ${votes.map(({ amount }) => amount)}::numeric[],
      ${votes.map(({ castAt }) => new Date(castAt))}::timestamptz[],
      ${votes.map(({ revokedAt }) => (revokedAt === null ? null : new Date(revokedAt)))}::timestamptz[],
      ${votes.map(({ signed }) => signed?.nonce ?? null)}::text[],
      ${votes.map(({ signed }) => signed?.signature ?? null)}::text[],
      ${votes.map(({ signed }) => signed?.key ?? null)}::text[]
    ) as vote (id, proposal_id, wallet, decision, amount, cast_at, revoked_at, nonce, signature, signing_key)
  `.execute(tx);
  const uses = votes.flatMap(({ id, uses: parts }) => parts.map((part) => ({ voteId: id, ...part })));
  await sql`
    insert into vote_stakes (vote_id, stake_id, amount)
    select * from unnest(
      ${uses.map(({ voteId }) => voteId)}::uuid[], ${uses.map(({ stakeId }) => stakeId)}::uuid[],
      ${uses.map(({ amount }) => amount)}::numeric[]
    )
  `.execute(tx);
}

/** A nonce that a wallet signed a vote on a proposal with. */
export interface UsedNonce extends Pick<Vote, 'id' | 'proposalId' | 'wallet'> {
  readonly nonce: string;
}

/** Of these nonces those that are used, each with its vote. */
export async function usedNonces(
  db: Db | Transaction,
  asked: readonly Omit<UsedNonce, 'id'>[],
): Promise<readonly UsedNonce[]> {
  if (asked.length === 0) return [];
  const { rows } = await sql<UsedNonce>`
    select id, proposal_id as "proposalId", wallet, nonce from votes join unnest(
      ${asked.map(({ proposalId }) => proposalId)}::uuid[], ${asked.map(({ wallet }) => wallet)}::text[],
      ${asked.map(({ nonce }) => nonce)}::text[]
    ) as asked (proposal_id, wallet, nonce) using (proposal_id, wallet, nonce)
  `.execute(db);
  return rows;
}

export async function findVote(db: Db | Transaction, voteId: string): Promise<Vote | null> {
  const row = await db.selectFrom('votes').selectAll().where('id', '=', voteId).executeTakeFirst();
  return row ? readVote(row) : null;
}

/** The live votes of these wallets in these proposals. */
export async function liveVotes(
  db: Db | Transaction,
  { proposalIds, wallets }: { proposalIds: readonly string[]; wallets: readonly string[] },
): Promise<Vote[]> {
  if (proposalIds.length === 0 || wallets.length === 0) return [];
  const query = db.selectFrom('votes').selectAll().where('proposal_id', 'in', proposalIds);
  return (await query.where('wallet', 'in', wallets).where('status', '!=', 'REVOKED').execute()).map(readVote);
}

/** How the last vote of a wallet in each of these proposals of a vault stands; one it never voted in is not among them. */
export async function lastVotes(
  db: Db | Transaction,
  { vaultId, wallet, proposalIds }: { vaultId: string; wallet: string; proposalIds: readonly string[] },
): Promise<ReadonlyMap<string, VoteStatus>> {
  // From the wallet's stakes on: those of its votes that were revoked are found by no index, and a proposal has many.
  const { rows } = await sql<{ id: string; status: VoteStatus }>`
    with own as materialized (
      select distinct u.vote_id as id from stakes s join vote_stakes u on u.stake_id = s.id
      where s.vault_id = ${vaultId} and s.wallet = ${wallet}
    )
    select distinct on (v.proposal_id) v.proposal_id as id, v.status from own join votes v on v.id = own.id
    where v.proposal_id = any(${proposalIds}::uuid[])
    order by v.proposal_id, v.status = 'REVOKED'
  `.execute(db);
  return new Map(rows.map(({ id, status }) => [id, status]));
}

/** Takes live votes out of the count; throws INVALID_TRANSITION for one that is not live. */
export async function revokeVotes(
  tx: Transaction,
  votes: readonly Pick<Vote, 'id' | 'status'>[],
  now: Instant,
): Promise<void> {
  if (votes.length === 0) return;
  for (const { status } of votes) voteTransition(status, 'REVOKED');
  const ids = votes.map(({ id }) => id);
  const values = { status: 'REVOKED', revoked_at: new Date(now) };
  await tx.updateTable('votes').set(values).where('id', 'in', ids).execute();
}

const columns = { castAt: 'cast_at', amount: 'amount' } as const;

/** A page of a proposal's votes and how many there are in all. */
export async function listVotes(
  db: Db,
  { proposalId, status }: { readonly proposalId: string; readonly status?: VoteStatus | undefined },
  page: Page<keyof typeof columns>,
): Promise<{ votes: Vote[]; total: number }> {
  const matching = db
    .selectFrom('votes')
    .where('proposal_id', '=', proposalId)
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? ''));
  const { field, direction } = page.sort;
  const ordered = matching.selectAll().orderBy(columns[field], direction).orderBy('id', direction);
  const { rows, total } = await pageOfRows(ordered, matching, page);
  return { votes: rows.map(readVote), total };
}

/** Live votes summed by Postgres, by proposal; one without votes is not among them. */
export async function liveTallies(
  db: Db | Transaction,
  proposalIds: readonly string[],
): Promise<ReadonlyMap<string, Tally>> {
  const { rows } = await sql<Record<'proposal_id' | 'approve' | 'reject' | 'voters', string>>`
    select proposal_id, count(*) as voters,
      coalesce(sum(amount) filter (where decision = 'APPROVE'), 0) as approve,
      coalesce(sum(amount) filter (where decision = 'REJECT'), 0) as reject
    from votes where proposal_id = any(${proposalIds}::uuid[]) and status <> 'REVOKED'
    group by proposal_id
  `.execute(db);
  return new Map(rows.map((row) => [row.proposal_id, readTally(row)]));
}

/** The leaves under which the live votes of a proposal are anchored, sorted as lower-case hex. */
export async function liveLeaves(db: Db, proposalId: string): Promise<string[]> {
  const { rows } = await sql<{ leaf: string }>`
    select f.leaf from votes v join anchor_facts f on f.id = v.id
    where v.proposal_id = ${proposalId} and v.status <> 'REVOKED' order by f.leaf collate "C"
  `.execute(db);
  return rows.map(({ leaf }) => leaf);
}

/**
 * As `votingPowerIn` of the domain, summed by Postgres for each proposal whose phases are fixed: of one wallet, or of all as the base of
 * the quorum. What leaves once voting is over still counts, and what comes back does not, so that nothing changes a vote between
 * its end and its count.
 */
export async function countedPowers(
  db: Db | Transaction,
  proposals: readonly { readonly id: string; readonly vaultId: string; readonly phases: VotingPeriod | null }[],
  wallet?: string,
): Promise<ReadonlyMap<string, BaseUnits>> {
  const asked = proposals.flatMap(({ id, vaultId, phases }) => (phases === null ? [] : [{ id, vaultId, ...phases }]));
  if (asked.length === 0) return new Map();
  const counts = sql`s.vault_id = p.vault_id and s.final_at < p.starts and s.owner_alone_from > p.over
    and (s.held_again_at is null or s.held_again_at < p.ends)
    ${wallet === undefined ? sql`` : sql`and s.wallet = ${wallet}`}`;
  // One statement: who leaves meanwhile is in exactly one of the two.
  const { rows } = await sql<{ id: string; power: string }>`
    select p.id, held.power + left_later.power as power
    from unnest(
      ${asked.map(({ id }) => id)}::uuid[], ${asked.map(({ vaultId }) => vaultId)}::uuid[],
      ${asked.map(({ voting }) => new Date(voting.startsAt))}::timestamptz[],
      ${asked.map(({ voting }) => new Date(voting.endsAt))}::timestamptz[],
      ${asked.map(({ execution }) => new Date(execution.endsAt))}::timestamptz[]
    ) as p (id, vault_id, starts, ends, over)
    cross join lateral (select coalesce(sum(s.voting_power), 0) as power from stakes s where ${counts}) held
    cross join lateral (
      select coalesce(sum(s.amount), 0) as power from stakes s
        join chain_transactions way on way.id = s.unstake_transaction_id
      where ${counts} and s.unstake_transaction_id is not null and way.created_at >= p.ends
    ) left_later
  `.execute(db);
  return new Map(rows.map(({ id, power }) => [id, baseUnits(BigInt(power))]));
}

/** How many votes of a proposal changed at once. */
export interface VotesChanged {
  readonly proposalId: string;
  readonly vaultId: string;
  readonly votes: number;
}

/**
 * Says of all votes whose facts an anchor carries that it is in a block, or no longer is; answers how many that changed. Revoked
 * ones stay revoked.
 */
export async function confirmVotes(
  tx: Transaction,
  transactionId: string,
  status: 'CONFIRMED' | 'CAST',
  now: Instant,
): Promise<readonly VotesChanged[]> {
  const before = status === 'CONFIRMED' ? 'CAST' : 'CONFIRMED';
  const { rows } = await sql<VotesChanged>`
    with changed as (
      update votes set status = ${voteTransition(before, status, status === 'CAST' ? 'rollback' : 'forward')},
        confirmed_at = ${status === 'CAST' ? null : new Date(now)}::timestamptz
      where status = ${before} and id in (
        select f.id from anchor_facts f join anchor_batches b on b.id = f.batch_id
        where b.transaction_id = ${transactionId}
      )
      returning proposal_id
    )
    select p.id as "proposalId", p.vault_id as "vaultId", count(*)::int as votes
    from changed join proposals p on p.id = changed.proposal_id group by p.id order by p.id
  `.execute(tx);
  return rows;
}

function readVote(row: Selectable<VotesTable>): Vote {
  return {
    id: row.id,
    proposalId: row.proposal_id,
    wallet: row.wallet,
    decision: row.decision as VoteDecision,
    amount: baseUnits(BigInt(row.amount)),
    status: row.status as VoteStatus,
    castAt: instant(row.cast_at),
    confirmedAt: row.confirmed_at === null ? null : instant(row.confirmed_at),
    revokedAt: row.revoked_at === null ? null : instant(row.revoked_at),
    signed: readSignature(row),
  };
}

function readSignature({ nonce, signature, signing_key: key }: Selectable<VotesTable>): VoteSignature | null {
  return nonce === null || signature === null || key === null ? null : { nonce, signature, key };
}
