import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { fieldError } from '../domain/errors.ts';

/** Rows of a collection that are counted: an exact count would read a whole table for each page. */
const MAX_COUNTED = 10_000;

/** Which rows of a collection are wanted. */
export interface Page<Field extends string> {
  readonly limit: number;
  readonly offset: number;
  /** Key of the row before the page, from an earlier page's `next`; the offset is then 0. */
  readonly after?: readonly string[];
  readonly sort: { readonly field: Field; readonly direction: Direction };
}

type Direction = 'asc' | 'desc';

/** How many rows a collection has, and where its next page begins. */
export interface PageCount {
  /** Counted up to MAX_COUNTED. */
  readonly total: number;
  /** Whether there are more rows than `total`. */
  readonly totalIsMinimum?: boolean;
  /** Key of the last row of this page; null on the last page. */
  readonly next: readonly string[] | null;
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

/**
 * Returns the rows of one page in their order, and the number of rows that `matching` has, up to MAX_COUNTED. Throws INVALID_REQUEST
 * at `after` for a key that is not one of this collection.
 */
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
  { limit, offset, after, sort: { field, direction } }: Page<Field>,
) {
  const key: KeyColumn[] = [
    { column: columns[field], direction },
    ...tieBreak.map((column) => ({ column, direction: tieBreakFollowsSort ? direction : ('asc' as const) })),
  ];
  const texts = sql.join(key.map(({ column }) => sql`${sql.ref(column)}::text`));
  const ordered = key
    .reduce((query, { column, direction: way }) => query.orderBy(sql.ref(column), way), rows)
    .select(sql<string[]>`array[${texts}]`.as('page_key'));
  const from = after === undefined ? ordered : ordered.where(isAfter(key, after));
  const counted = matching.select(sql`1`.as('counted')).limit(MAX_COUNTED + 1);
  const counting = matching
    .select(sql<string>`(select count(*) from (${counted}) as counted)`.as('total'))
    .$castTo<{ total: string }>();
  const [found, counts] = await Promise.all([
    from
      .limit(limit + 1)
      .offset(offset)
      .execute()
      .catch(refuseKey(after)),
    counting.limit(1).executeTakeFirst(),
  ]);
  const page = found.slice(0, limit);
  const last = page.at(-1) as { readonly page_key: readonly string[] } | undefined;
  const next = found.length > limit && last ? last.page_key : null;
  const total = Number(counts?.total ?? 0);
  const totals = { total: Math.min(total, MAX_COUNTED), totalIsMinimum: total > MAX_COUNTED };
  return { rows: page, count: { ...totals, next } satisfies PageCount };
}

interface KeyColumn {
  readonly column: string;
  readonly direction: Direction;
}

/** Whether a row comes after the row with this key. */
function isAfter([first, ...others]: readonly KeyColumn[], [value, ...values]: readonly string[]): RawBuilder<boolean> {
  if (!first || value === undefined) return sql<boolean>`false`;
  const column = sql.ref(first.column);
  const later = first.direction === 'asc' ? sql<boolean>`${column} > ${value}` : sql<boolean>`${column} < ${value}`;
  return sql<boolean>`(${later} or (${column} = ${value} and ${isAfter(others, values)}))`;
}

/** SQLSTATE class "data exception": a value of the key does not have the type of its column. */
const DATA_EXCEPTION = /^22/;

function refuseKey(after: readonly string[] | undefined): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (after === undefined || !DATA_EXCEPTION.test(code)) throw error;
    throw fieldError('INVALID_REQUEST', 'after', 'This does not come from a page of this list');
  };
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
