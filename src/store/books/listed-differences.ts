import type { Difference, DifferenceCode, DifferenceKind } from '../../domain/reconciliation/difference.ts';
import type { Db } from '../database.ts';
import { givenFields, type Page, type PageCount, readPage } from '../page.ts';

/** A difference with the vault in which it was found. */
export interface FoundDifference extends Difference {
  readonly vaultId: string;
}

export interface DifferenceFilter {
  readonly reconciliationId: string;
  readonly vaultId?: string | undefined;
  readonly kind?: DifferenceKind | undefined;
  readonly code?: DifferenceCode | undefined;
}

const differenceColumns = { vaultId: 'vault_id', code: 'code' } as const;

/** A page of the differences that a reconciliation has found, and the total. */
export async function listDifferences(
  db: Db,
  { reconciliationId, vaultId, kind, code }: DifferenceFilter,
  page: Page<keyof typeof differenceColumns>,
): Promise<{ differences: FoundDifference[]; count: PageCount }> {
  const filter = givenFields({ reconciliation_id: reconciliationId, vault_id: vaultId, kind, code });
  const matching = db.selectFrom('reconciliation_differences').where((eb) => eb.and(filter));
  const order = { columns: differenceColumns, tieBreak: ['id'] };
  const { rows, count } = await readPage(db, matching.selectAll(), matching, order, page);
  const differences = rows.map(({ vault_id: found, code: of, subject, books, ledger }) => {
    return { vaultId: found, code: of, subject, books, ledger };
  });
  return { differences, count };
}

/** Every difference that a reconciliation has found, by vault, so many rows at once. */
export async function* differencesAfter(
  db: Db,
  reconciliationId: string,
  limit: number,
): AsyncIterable<FoundDifference> {
  const page = { limit, offset: 0, sort: { field: 'vaultId', direction: 'asc' } } as const;
  for (let after: readonly string[] | null | undefined; after !== null;) {
    const found = await listDifferences(db, { reconciliationId }, { ...page, ...(after && { after }) });
    yield* found.differences;
    after = found.count.next;
  }
}
