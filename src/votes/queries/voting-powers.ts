import { type RawBuilder, sql } from 'kysely';
import { anyOf } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { takeWithTimeout } from '../../platform/database/locks.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import type { Instant } from '../../platform/units/time.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import type { Stake, StakeRow } from '../../staking/queries/stakes.ts';
import type { VotingPeriod, StakeUse } from '../rules.ts';

/**
 * As `votingPowerIn` of the domain, summed by Postgres for each proposal whose phases are fixed: of all wallets, as the base of the
 * quorum. What leaves once voting is over still counts, and what comes back does not, so that nothing changes a vote between
 * its end and its count.
 */
export async function proposalVotingPowers(
  db: Db | Transaction,
  proposals: readonly { readonly id: string; readonly vaultId: string; readonly phases: VotingPeriod | null }[],
): Promise<ReadonlyMap<string, BaseUnits>> {
  const asked = proposals.flatMap(({ id, vaultId, phases }) => (phases === null ? [] : [{ id, vaultId, ...phases }]));
  if (asked.length === 0) return new Map();
  const phases = {
    vaultId: sql.ref('p.vault_id'),
    votingStartsAt: sql.ref('p.starts'),
    votingEndsAt: sql.ref('p.ends'),
    executionEndsAt: sql.ref('p.over'),
  };
  const { rows } = await sql<{ id: string; power: string }>`
    select p.id, ${votingPowerOf(phases)} as power
    from unnest(
      ${asked.map(({ id }) => id)}::uuid[], ${asked.map(({ vaultId }) => vaultId)}::uuid[],
      ${asked.map(({ voting }) => new Date(voting.startsAt))}::timestamptz[],
      ${asked.map(({ voting }) => new Date(voting.endsAt))}::timestamptz[],
      ${asked.map(({ execution }) => new Date(execution.endsAt))}::timestamptz[]
    ) as p (id, vault_id, starts, ends, over)
  `.execute(db);
  return new Map(rows.map(({ id, power }) => [id, baseUnits(BigInt(power))]));
}

/** The columns of a statement that hold the vault and the phases of a proposal. */
interface PhaseColumns {
  readonly vaultId: RawBuilder<unknown>;
  readonly votingStartsAt: RawBuilder<unknown>;
  readonly votingEndsAt: RawBuilder<unknown>;
  readonly executionEndsAt: RawBuilder<unknown>;
}

/** Those of the table `proposals`. */
export const proposalPhases: PhaseColumns = {
  vaultId: sql.ref('proposals.vault_id'),
  votingStartsAt: sql.ref('proposals.voting_starts_at'),
  votingEndsAt: sql.ref('proposals.voting_ends_at'),
  executionEndsAt: sql.ref('proposals.execution_ends_at'),
};

/** The rule of `proposalVotingPowers` as a column of a statement that reads proposals; 0 for one whose phases are not fixed. */
export function votingPowerOf(
  { vaultId, votingStartsAt, votingEndsAt, executionEndsAt }: PhaseColumns,
  wallet?: string,
): RawBuilder<string> {
  const counts = sql`s.vault_id = ${vaultId} and s.final_at < ${votingStartsAt} and s.owner_alone_from > ${executionEndsAt}
    and (s.held_again_at is null or s.held_again_at < ${votingEndsAt})
    ${wallet === undefined ? sql`` : sql`and s.wallet = ${wallet}`}`;
  // In one pass, so that a stake that leaves meanwhile counts once, and each is read once.
  return sql<string>`(select coalesce(sum(case when s.unstake_transaction_id is null then s.voting_power
      when (select way.created_at from chain_transactions way where way.id = s.unstake_transaction_id) >= ${votingEndsAt}
        then s.amount else 0 end), 0) from stakes s where ${counts})`;
}

/**
 * The voting power of a wallet's stakes in a vault that are final and still locked: from `ownerAloneFrom` on the owner may reclaim a
 * stake without a signature of the platform.
 */
export async function stakedPower(
  db: Db | Transaction,
  vaultId: string,
  wallet: string,
  now: Instant,
): Promise<BaseUnits> {
  return (await stakedPowers(db, vaultId, [wallet], now)).get(wallet) ?? baseUnits(0n);
}

/** As `stakedPower`, for many wallets; wallets without power are left out. */
async function stakedPowers(
  db: Db | Transaction,
  vaultId: string,
  wallets: readonly string[],
  now: Instant,
): Promise<ReadonlyMap<string, BaseUnits>> {
  const { rows } = await sql<{ wallet: string; power: string }>`
    select wallet, sum(voting_power) as power from stakes
    where vault_id = ${vaultId} and wallet = any(${wallets}::text[])
      and voting_power > 0 and owner_alone_from > ${new Date(now)}
    group by wallet
  `.execute(db);
  return new Map(rows.map(({ wallet, power }) => [wallet, baseUnits(BigInt(power))]));
}

/** Locks the stakes of these wallets in these vaults, in the order of their ids so that transactions do not deadlock. */
export async function lockStakesOfWallets(tx: Transaction, stakers: Stakers): Promise<StakeRow[]> {
  if (stakers.vaultIds.length === 0 || stakers.wallets.length === 0) return [];
  return stakesHeldBy(tx, stakers).selectAll().orderBy('id').forUpdate().execute();
}

/**
 * As `lockStakesOfWallets`, but waits only for stakes that are soon free. Returns the wallets that have others, of which it locks what is
 * free: a process that froze with a stake must delay only what needs that one.
 */
export async function lockFreeStakes(tx: Transaction, stakers: Stakers): Promise<ReadonlySet<string>> {
  if (stakers.vaultIds.length === 0 || stakers.wallets.length === 0) return new Set();
  const inOrder = stakesHeldBy(tx, stakers).select('id').orderBy('id').forUpdate();
  if (await takeWithTimeout(tx, () => inOrder.execute())) return new Set();
  const held = await tx
    .with('free', () => stakesHeldBy(tx, stakers).select('id').forUpdate().skipLocked())
    .selectFrom(stakesHeldBy(tx, stakers).select(['id', 'wallet']).as('wanted'))
    .select('wallet')
    .where('id', 'not in', (query) => query.selectFrom('free').select('id'))
    .execute();
  return new Set(held.map(({ wallet }) => wallet));
}

/** Wallets, and the vaults in which they have staked. */
interface Stakers {
  readonly vaultIds: readonly string[];
  readonly wallets: readonly string[];
}

function stakesHeldBy(tx: Transaction, { vaultIds, wallets }: Stakers) {
  return tx
    .selectFrom('stakes')
    .where('vault_id', '=', anyOf(vaultIds))
    .where('wallet', '=', anyOf(wallets))
    .where('status', '!=', 'RELEASED');
}

/** Locks the stakes that the live votes of a proposal use, in the order of their ids. */
export async function lockStakesUsedInProposal(
  tx: Transaction,
  proposalId: string,
): Promise<Pick<Stake, 'id' | 'status'>[]> {
  const { rows } = await sql<Pick<Stake, 'id' | 'status'>>`
    select id, status from stakes where id in (
      select u.stake_id from vote_stakes u join votes v on v.id = u.vote_id
      where v.proposal_id = ${proposalId} and v.revoked_at is null
    ) order by id for update
  `.execute(tx);
  return rows;
}

/** A stake after a change of its uses, with its amount as text: what a damaged row has, too. */
interface UpdatedStake extends Pick<Stake, 'id' | 'vaultId' | 'wallet' | 'status'> {
  readonly amount: string;
}

/**
 * Recomputes how much of locked stakes the live votes of unreleased proposals use, and until when (design
 * D24). As `usedPower` and `lockedUntil` of the domain, for many stakes in one statement. A stake that is being returned is left as it is,
 * the others are returned.
 */
export async function updateStakeUses(
  { tx, now }: TransactionContext,
  stakeIds: readonly string[],
): Promise<UpdatedStake[]> {
  // `offset 0` keeps Postgres from starting at the proposals, or at all live votes: it would read every one of them for every stake.
  const { rows } = await sql<UpdatedStake>`
    update stakes s set
      used_power = case when s.final_at is null then 0 else coalesce(used.most, 0) end,
      locked_until = used.until,
      status = case when used.until is null then 'ACTIVE' else 'LOCKED' end,
      updated_at = ${new Date(now)}
    from unnest(${stakeIds}::uuid[]) as wanted (id) left join lateral (
      select max(u.amount) as most, max(p.execution_ends_at) as until
      from vote_stakes u
        cross join lateral (
          select v.proposal_id, v.revoked_at from votes v where v.id = u.vote_id offset 0
        ) vote
        join proposals p on p.id = vote.proposal_id and p.released_at is null
      where u.stake_id = wanted.id and vote.revoked_at is null
    ) used on true
    where s.id = wanted.id and s.status <> 'RELEASED' and s.unstake_transaction_id is null
    returning s.id, s.vault_id as "vaultId", s.wallet, s.amount, s.status
  `.execute(tx);
  return rows;
}

/** A vote that uses a part of a stake, and until when it keeps the stake. */
export interface StakeUsed extends StakeUse {
  readonly until: Instant;
}

/** As `updateStakeUses`, after votes that replace none: more is used than before, and for longer. */
export async function addStakeUses({ tx, now }: TransactionContext, uses: readonly StakeUsed[]): Promise<void> {
  await sql`
    update stakes s set
      used_power = greatest(s.used_power, used.most),
      locked_until = greatest(s.locked_until, used.until),
      status = 'LOCKED',
      updated_at = ${new Date(now)}
    from (
      select id, max(amount) as most, max(until) as until from unnest(
        ${uses.map(({ stakeId }) => stakeId)}::uuid[], ${uses.map(({ amount }) => amount)}::numeric[],
        ${uses.map(({ until }) => new Date(until))}::timestamptz[]
      ) as use (id, amount, until) group by id
    ) used
    where s.id = used.id and s.status <> 'RELEASED' and s.unstake_transaction_id is null
  `.execute(tx);
}
