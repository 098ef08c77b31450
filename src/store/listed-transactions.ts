import type { TransactionKind, TransactionState } from '../domain/transaction/transaction-state.ts';
import { type ChainTransaction, readTransaction } from './chain-transactions.ts';
import type { Db } from './database.ts';
import { givenFields, type Page, type PageCount, readPage } from './page.ts';
import { type ReaderScope, visibleTo } from './visible-vaults.ts';

export interface TransactionFilter {
  readonly readerScope: ReaderScope;
  readonly vaultId?: string | undefined;
  readonly wallet?: string | undefined;
  readonly kind?: TransactionKind | undefined;
  readonly status?: TransactionState | undefined;
}

const columns = { createdAt: 'created_at' } as const;

/** A page of the transactions that belong to no vault or to one that the reader may see, and the total. */
export async function listTransactions(
  db: Db,
  { readerScope, vaultId, wallet, kind, status }: TransactionFilter,
  page: Page<keyof typeof columns>,
): Promise<{ transactions: ChainTransaction[]; count: PageCount }> {
  const matching = db
    .selectFrom('chain_transactions')
    .where((eb) => eb.and(givenFields({ vault_id: vaultId, wallet, kind, state: status })))
    .$if(readerScope !== 'everyone', (query) =>
      query.where((eb) =>
        eb.or([
          eb('vault_id', 'is', null),
          eb('vault_id', 'in', (vaults) =>
            vaults.selectFrom('vaults').select('vaults.id').where(visibleTo(readerScope)),
          ),
        ]),
      ),
    );
  const order = { columns, tieBreak: ['id'], tieBreakFollowsSort: true };
  const { rows, count } = await readPage(matching.selectAll(), matching, order, page);
  return { transactions: rows.map(readTransaction), count };
}
