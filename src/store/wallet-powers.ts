import { type BaseUnits, baseUnits } from '../domain/units/money.ts';
import type { Db } from './database.ts';
import { type Page, readPage, type PageCount } from './page.ts';
import { type ReaderScope, visibleTo } from './visible-vaults.ts';

/** What a wallet has staked in one vault, and its voting power at present. */
export interface VaultPower {
  readonly vaultId: string;
  readonly ftDecimals: number;
  /** Not yet returned to the wallet: in its script, or on the way to it. */
  readonly staked: BaseUnits;
  readonly votingPower: BaseUnits;
  readonly usedPower: BaseUnits;
}

export interface PowerFilter {
  readonly wallet: string;
  readonly readerScope: ReaderScope;
  readonly vaultId?: string;
}

const columns = { createdAt: 'vaults.created_at' } as const;

/** A page of a wallet's voting powers by vault, in the order of the vaults, in the vaults that `readerScope` includes, or in one of them; and the total. */
export async function listPowers(
  db: Db,
  { wallet, readerScope, vaultId }: PowerFilter,
  page: Page<keyof typeof columns>,
): Promise<{ powers: VaultPower[]; count: PageCount }> {
  const matching = db
    .selectFrom('vaults')
    .innerJoin('stakes', 'stakes.vault_id', 'vaults.id')
    .innerJoin('chain_transactions as brought', 'brought.id', 'stakes.stake_transaction_id')
    .where('stakes.wallet', '=', wallet)
    .where('stakes.status', '!=', 'RELEASED')
    // A withdrawn transaction leaves the tokens with the wallet, which may stake them again.
    .where((eb) => eb.or([eb('brought.state', '!=', 'awaiting_signatures'), eb('brought.error', 'is', null)]))
    .$if(vaultId !== undefined, (query) => query.where('vaults.id', '=', vaultId ?? ''))
    .where('vaults.id', 'in', (query) => query.selectFrom('vaults').select('id').where(visibleTo(readerScope)));
  const grouped = matching
    .select(({ fn }) => [
      'vaults.id',
      'vaults.ft_decimals',
      fn.sum<string>('stakes.amount').as('staked'),
      fn.sum<string>('stakes.voting_power').as('voting_power'),
      fn.sum<string>('stakes.used_power').as('used_power'),
    ])
    .groupBy('vaults.id');
  const vaults = db.selectFrom(matching.select('vaults.id').distinct().as('vault'));
  const { rows, count } = await readPage(db, grouped, vaults, { columns, tieBreak: ['vaults.id'] }, page);
  const powers = rows.map((row) => ({
    vaultId: row.id,
    ftDecimals: row.ft_decimals,
    staked: baseUnits(BigInt(row.staked)),
    votingPower: baseUnits(BigInt(row.voting_power)),
    usedPower: baseUnits(BigInt(row.used_power)),
  }));
  return { powers, count };
}
