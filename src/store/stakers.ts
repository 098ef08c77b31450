import { sql } from 'kysely';
import type { Instant } from '../domain/units/instant.ts';
import { type BaseUnits, baseUnits, type BasisPoints } from '../domain/units/money.ts';
import type { Db, Transaction } from './database.ts';
import type { Page, PageCount } from './page.ts';

interface Staker {
  readonly wallet: string;
  readonly power: BaseUnits;
}

/** A minimum share of the supply. */
interface Share {
  readonly threshold: BasisPoints;
  readonly supply: BaseUnits;
}

/** The platform signs every execution, so it cosigns none. */
const isNotPlatform = (wallet: string) => sql`${sql.ref(wallet)} not in (select operator_address from platform)`;

/** A page of the wallets that have staked at least a share of the supply, counted as `stakedPower` counts; and the total. */
export async function stakersAbove(
  db: Db | Transaction,
  vaultId: string,
  { threshold, supply, limit, offset, sort }: Share & Pick<Page<'staked'>, 'limit' | 'offset' | 'sort'>,
  now: Instant,
): Promise<{ stakers: Staker[]; count: PageCount }> {
  const matching = sql`
    select wallet, sum(voting_power) as power from stakes
    where vault_id = ${vaultId} and voting_power > 0 and owner_alone_from > ${new Date(now)} and ${isNotPlatform('wallet')}
    group by wallet having sum(voting_power) * 10000 >= ${threshold}::numeric * ${supply}::numeric`;
  const { rows } = await sql<{ wallet: string; power: string }>`
    ${matching} order by power ${sort.direction === 'asc' ? sql`asc` : sql`desc`}, wallet limit ${limit} offset ${offset}
  `.execute(db);
  const stakers = rows.map(({ wallet, power }) => ({ wallet, power: baseUnits(BigInt(power)) }));
  // When the first page holds all of them, no second statement has to count them.
  if (offset === 0 && rows.length < limit) return { stakers, count: { total: rows.length, next: null } };
  const counted = await sql<{ total: string }>`select count(*) as total from (${matching}) stakers`.execute(db);
  return { stakers, count: { total: Number(counted.rows[0]?.total), next: null } };
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
