import { type InvestmentStatus } from '../domain/investment.ts';
import type { Db } from './database.ts';
import { type Investment, readInvestment } from './investments.ts';

export interface InvestmentFilter {
  readonly vaultId: string;
  readonly status?: InvestmentStatus | undefined;
}

export interface InvestmentPage {
  readonly limit: number;
  readonly offset: number;
  readonly sort: { readonly field: 'createdAt' | 'lovelace' | 'status'; readonly direction: 'asc' | 'desc' };
}

export interface ListedInvestment {
  readonly investment: Investment;
  readonly transactionHash: string;
}

const columns = {
  createdAt: 'investments.created_at',
  lovelace: 'investments.lovelace',
  status: 'investments.status',
} as const;

/** A page of a vault's investments and how many there are in all; without a status those that were never signed are left out. */
export async function listInvestments(
  db: Db,
  { vaultId, status }: InvestmentFilter,
  { limit, offset, sort }: InvestmentPage,
): Promise<{ investments: ListedInvestment[]; total: number }> {
  const matching = db
    .selectFrom('investments')
    .where('investments.vault_id', '=', vaultId)
    .$if(status === undefined, (query) => query.where('investments.status', '!=', 'EXPIRED'))
    .$if(status !== undefined, (query) => query.where('investments.status', '=', status ?? ''));
  const [rows, { total }] = await Promise.all([
    matching
      .innerJoin('chain_transactions', 'chain_transactions.id', 'investments.transaction_id')
      .selectAll('investments')
      .select('chain_transactions.hash')
      .orderBy(columns[sort.field], sort.direction)
      .orderBy('investments.created_at')
      .orderBy('investments.id')
      .limit(limit)
      .offset(offset)
      .execute(),
    matching.select(({ fn }) => fn.countAll<string>().as('total')).executeTakeFirstOrThrow(),
  ]);
  const investments = rows.map((row) => ({ investment: readInvestment(row), transactionHash: row.hash }));
  return { investments, total: Number(total) };
}
