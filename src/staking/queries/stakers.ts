import { type RawBuilder, sql } from 'kysely';
import type { Instant } from '../../platform/units/instant.ts';
import type { BaseUnits, BasisPoints } from '../../platform/units/money.ts';
import type { Transaction } from '../../platform/database/database.ts';

/** A minimum share of the supply. */
interface Share {
  readonly threshold: BasisPoints;
  readonly supply: BaseUnits;
}

/** The platform signs every execution, so it cosigns none. */
const isNotPlatform = (wallet: string) => sql`${sql.ref(wallet)} not in (select operator_address from platform)`;

/** Some of the wallets that have staked at least a share of the supply. */
export async function stakersAbove(
  tx: Transaction,
  vaultId: string,
  { threshold, supply, limit }: Share & { readonly limit: number },
  now: Instant,
): Promise<string[]> {
  const share = { threshold: sql`${threshold}::numeric`, supply: sql`${supply}::numeric` };
  const { rows } = await sql<{ wallet: string }>`
    ${stakersWith(sql`${vaultId}`, share, now)} order by power desc, wallet limit ${limit}`.execute(tx);
  return rows.map(({ wallet }) => wallet);
}

/** The wallets that have staked at least a share of the supply in a vault, and their power, counted as `stakedPower` counts. */
export function stakersWith(
  vaultId: RawBuilder<unknown>,
  { threshold, supply }: Readonly<Record<keyof Share, RawBuilder<unknown>>>,
  now: Instant,
): RawBuilder<unknown> {
  return sql`select wallet, sum(voting_power) as power from stakes
    where vault_id = ${vaultId} and voting_power > 0 and owner_alone_from > ${new Date(now)} and ${isNotPlatform('wallet')}
    group by wallet having sum(voting_power) * 10000 >= ${threshold} * ${supply}`;
}

/**
 * Some of the wallets that have voted on a proposal with stakes of at least a share of the supply; what a vote leaves unused of a
 * stake counts too.
 */
export async function votersAbove(
  tx: Transaction,
  proposalId: string,
  { threshold, supply, limit }: Share & { readonly limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ wallet: string }>`
    select s.wallet from votes v join vote_stakes u on u.vote_id = v.id join stakes s on s.id = u.stake_id
    where v.proposal_id = ${proposalId} and v.revoked_at is null and s.voting_power > 0 and ${isNotPlatform('s.wallet')}
    group by s.wallet having sum(s.amount) * 10000 >= ${threshold}::numeric * ${supply}::numeric
    limit ${limit}
  `.execute(tx);
  return rows.map(({ wallet }) => wallet);
}
