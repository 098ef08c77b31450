import { sql } from 'kysely';
import type { Instant } from '../domain/units/instant.ts';
import { type BaseUnits, baseUnits } from '../domain/units/money.ts';
import type { VotingPeriod } from '../domain/vote/voting-power.ts';
import type { Db, Transaction } from './database.ts';

/**
 * As `votingPowerIn` of the domain, summed by Postgres for each proposal whose phases are fixed: of one wallet, or of all as the base of
 * the quorum. What leaves once voting is over still counts, and what comes back does not, so that nothing changes a vote between
 * its end and its count.
 */
export async function proposalVotingPowers(
  db: Db | Transaction,
  proposals: readonly { readonly id: string; readonly vaultId: string; readonly phases: VotingPeriod | null }[],
  wallet?: string,
): Promise<ReadonlyMap<string, BaseUnits>> {
  const asked = proposals.flatMap(({ id, vaultId, phases }) => (phases === null ? [] : [{ id, vaultId, ...phases }]));
  if (asked.length === 0) return new Map();
  const counts = sql`s.vault_id = p.vault_id and s.final_at < p.starts and s.owner_alone_from > p.over
    and (s.held_again_at is null or s.held_again_at < p.ends)
    ${wallet === undefined ? sql`` : sql`and s.wallet = ${wallet}`}`;
  // One statement, so that a stake that leaves meanwhile is in exactly one of the two sums.
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
export async function stakedPowers(
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
