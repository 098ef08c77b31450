import { type SelectQueryBuilder, sql } from 'kysely';

/** Which rows of a collection are wanted. */
export interface Page<Field extends string> {
  readonly limit: number;
  readonly offset: number;
  readonly sort: { readonly field: Field; readonly direction: 'asc' | 'desc' };
}

/** The order of a collection. */
interface CollectionOrder<Field extends string> {
  /** The column of each field that a page can be sorted by. */
  readonly columns: Readonly<Record<Field, string>>;
  /** Columns that order rows with equal values, the last one unique. */
  readonly tieBreak: readonly string[];
  /** Ascending unless the tie-break follows the direction of the sort. */
  readonly tieBreakFollowsSort?: boolean;
}

/** Returns the rows of one page in their order, and the number of rows that `matching` has in all. */
export async function readPage<
  Shown,
  ShownTables extends keyof Shown,
  Row,
  Matched,
  MatchedTables extends keyof Matched,
  Selected,
  Field extends string,
>(
  rows: SelectQueryBuilder<Shown, ShownTables, Row>,
  matching: SelectQueryBuilder<Matched, MatchedTables, Selected>,
  { columns, tieBreak, tieBreakFollowsSort = false }: CollectionOrder<Field>,
  { limit, offset, sort: { field, direction } }: Page<Field>,
) {
  const ordered = tieBreak.reduce(
    (query, column) => query.orderBy(sql.ref(column), tieBreakFollowsSort ? direction : 'asc'),
    rows.orderBy(sql.ref(columns[field]), direction),
  );
  const counting = matching.select(({ fn }) => fn.countAll<string>().as('total')).$castTo<{ total: string }>();
  const [page, { total }] = await Promise.all([
    ordered.limit(limit).offset(offset).execute(),
    counting.executeTakeFirstOrThrow(),
  ]);
  return { rows: page, total: Number(total) };
}

/** The next rows of a scan over a whole table. */
interface KeyRange {
  /** Unique together, and in the order of an index. */
  readonly columns: readonly string[];
  /** The key of the last row that was read; null at the start. */
  readonly after: readonly string[] | null;
  readonly limit: number;
}

/** Limits a query to the rows after a key, in the order of the key (keyset paging): a scan that misses no row and reads none twice. */
export function rowsAfter<Shown, Tables extends keyof Shown, Row>(
  query: SelectQueryBuilder<Shown, Tables, Row>,
  { columns, after, limit }: KeyRange,
): SelectQueryBuilder<Shown, Tables, Row> {
  const key = columns.map((column) => sql.ref(column));
  const later = after === null ? query : query.where(sql<boolean>`(${sql.join(key)}) > (${sql.join(after)})`);
  return key.reduce((ordered, column) => ordered.orderBy(column), later).limit(limit);
}

/** The fields of a filter that are given, for `eb.and`; a field that is undefined matches every row. */
export function givenFields<Filter extends object>(
  filter: Filter,
): { [F in keyof Filter]?: Exclude<Filter[F], undefined> } {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [F in keyof Filter]?: Exclude<Filter[F], undefined> };
}
