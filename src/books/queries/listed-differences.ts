import type { RawBuilder } from 'kysely';
import type { Difference, DifferenceCode, DifferenceKind } from '../rules/difference.ts';
import type { Db } from '../../platform/database/database.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import { readReconciliationColumn, reconciliationColumn } from './listed-reconciliations.ts';
import type { Reconciliation } from './reconciliations.ts';

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

interface DifferencePage {
  readonly differences: FoundDifference[];
  readonly count: PageCount;
}

/** A reconciliation, a page of the differences that it has found, and their total; null when there is none. */
export async function findReport(
  db: Db,
  filter: DifferenceFilter,
  page: Page<keyof typeof differenceColumns>,
): Promise<(DifferencePage & { readonly reconciliation: Reconciliation }) | null> {
  const { of, ...found } = await listDifferences(db, filter, page, reconciliationColumn(filter.reconciliationId));
  return of && { ...found, reconciliation: readReconciliationColumn(of) };
}

async function listDifferences<Of = null>(
  db: Db,
  { reconciliationId, vaultId, kind, code }: DifferenceFilter,
  page: Page<keyof typeof differenceColumns>,
  of?: RawBuilder<Of>,
): Promise<DifferencePage & { readonly of: Of | null }> {
  const filter = givenFields({ reconciliation_id: reconciliationId, vault_id: vaultId, kind, code });
  const matching = db.selectFrom('reconciliation_differences').where((eb) => eb.and(filter));
  const collection = { columns: differenceColumns, tieBreak: ['id'], ...(of && { of }) };
  const { rows, count, of: shownWith } = await readPage(db, matching.selectAll(), matching, collection, page);
  const differences = rows.map(({ vault_id: found, code: what, subject, books, ledger }) => {
    return { vaultId: found, code: what, subject, books, ledger };
  });
  return { differences, count, of: shownWith };
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
