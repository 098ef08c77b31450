import { type RawBuilder, sql } from 'kysely';
import type { Instant } from '../../platform/units/instant.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import type { VotingPeriod } from '../rules/voting-power.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';

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
