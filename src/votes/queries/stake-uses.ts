import { sql } from 'kysely';
import type { Instant } from '../../platform/units/instant.ts';
import type { StakeUse } from '../rules/voting-power.ts';
import { anyOf } from '../../platform/database/bulk-insert.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { lockSoon } from '../../platform/database/lock-soon.ts';
import type { Stake, StakeRow } from '../../staking/queries/stakes.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

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
  if (await lockSoon(tx, () => inOrder.execute())) return new Set();
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
