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

/** A page of the wallets that have staked at least a share of the supply, counted as `stakedPower` counts, largest first; and the total. */
export async function stakersAbove(
  db: Db | Transaction,
  vaultId: string,
  { threshold, supply, limit, offset }: Share & Pick<Page<string>, 'limit' | 'offset'>,
  now: Instant,
): Promise<{ stakers: Staker[]; count: PageCount }> {
  const matching = sql`
    select wallet, sum(voting_power) as power from stakes
    where vault_id = ${vaultId} and voting_power > 0 and owner_alone_from > ${new Date(now)}
    group by wallet having sum(voting_power) * 10000 >= ${threshold}::numeric * ${supply}::numeric`;
  const { rows } = await sql<{ wallet: string; power: string }>`
    ${matching} order by power desc, wallet limit ${limit} offset ${offset}
  `.execute(db);
  const stakers = rows.map(({ wallet, power }) => ({ wallet, power: baseUnits(BigInt(power)) }));
  // When the first page holds all of them, no second statement has to count them.
  if (offset === 0 && rows.length < limit) return { stakers, count: { total: rows.length, next: null } };
  const counted = await sql<{ total: string }>`select count(*) as total from (${matching}) stakers`.execute(db);
  return { stakers, count: { total: Number(counted.rows[0]?.total), next: null } };
}

/** Some of the wallets that had staked at least a share of the supply at `at`, in stakes that were final by then and stay locked until `until`. */
export async function stakersAboveAt(
  tx: Transaction,
  vaultId: string,
  { threshold, supply, limit }: Share & { readonly limit: number },
  { at, until }: { readonly at: Instant; readonly until: Instant },
): Promise<string[]> {
  const instant = new Date(at);
  const { rows } = await sql<{ wallet: string }>`
    select s.wallet from stakes s left join chain_transactions way on way.id = s.unstake_transaction_id
    where s.vault_id = ${vaultId} and s.final_at < ${instant} and s.owner_alone_from > ${new Date(until)}
      and (s.held_again_at is null or s.held_again_at < ${instant})
      and (s.voting_power > 0 or way.created_at >= ${instant})
    group by s.wallet having sum(s.amount) * 10000 >= ${threshold}::numeric * ${supply}::numeric
    limit ${limit}
  `.execute(tx);
  return rows.map(({ wallet }) => wallet);
}
