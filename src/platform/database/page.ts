import { type Expression, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { fieldError } from '../errors.ts';
import type { Db } from './database.ts';
import { sqlStateOf } from './sqlstate.ts';

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

/** The order of a collection, and who may see it. */
interface Collection<Field extends string, Of> {
  /** The column of each field that a page can be sorted by. */
  readonly columns: Readonly<Record<Field, string>>;
  /** Columns that order rows with equal values, the last one unique. */
  readonly tieBreak: readonly string[];
  /** Ascending unless the tie-break follows the direction of the sort. */
  readonly tieBreakFollowsSort?: boolean;
  /** Whether the reader may see the collection at all; to everyone unless given. */
  readonly visible?: RawBuilder<boolean>;
  /** What the collection belongs to, or is shown with, where one statement reads both; hidden from whoever may not see the collection. */
  readonly of?: RawBuilder<Of>;
  /** The `with` clause of a relation that both the rows and their number come from, so that it is made once. */
  readonly source?: RawBuilder<unknown>;
  /**
   * Conditions of which each row of the collection meets one, where an index serves each of them and none serves all: each part is then
   * read by itself. The columns that order the rows have the same names in them.
   */
  readonly parts?: readonly RawBuilder<boolean>[];
}

/** What the statement of a page adds to each row. A page without rows has one row, without a position. */
interface PageColumns<Of> {
  readonly page_key: readonly string[];
  readonly page_position: string | null;
  readonly page_total: string;
  readonly page_visible: boolean;
  readonly page_of: Of | null;
}

/**
 * Returns in one statement the rows of one page in their order, the number of rows that `matching` has, up to MAX_COUNTED, and whether
 * the reader may see the collection; if not, the page is empty. Throws INVALID_REQUEST at `after` for a key that is not one of this
 * collection.
 */
export async function readPage<
  Shown,
  ShownTables extends keyof Shown,
  Row,
  Matched,
  MatchedTables extends keyof Matched,
  Selected,
  Field extends string,
  Of,
>(
  db: Db,
  rows: SelectQueryBuilder<Shown, ShownTables, Row>,
  matching: SelectQueryBuilder<Matched, MatchedTables, Selected>,
  collection: Collection<Field, Of>,
  { sort: { field, direction }, ...range }: Page<Field>,
) {
  const { columns, tieBreak, tieBreakFollowsSort = false, parts } = collection;
  const key: KeyColumn[] = [
    { column: columns[field], direction },
    ...tieBreak.map((column) => ({ column, direction: tieBreakFollowsSort ? direction : ('asc' as const) })),
  ];
  const one = matching.select(sql`1`.as('counted')).limit(MAX_COUNTED + 1);
  const counted = parts
    ? sql`(select counted from ${unionOf(parts, (part) => one.where(part))} as part limit ${MAX_COUNTED + 1})`
    : one;
  const { visible = sql`true`, of = sql`null` } = collection;
  const known = sql`count(*) as page_total, ${visible} as page_visible, ${of} as page_of`;
  // Once, with the first row: it may be long.
  const ofFirst = sql`case when page_position is null or page_position = ${range.offset + 1} then page_of end as page_of`;
  const shown = sql`page.*, page_total, page_visible, ${ofFirst}`;
  const reading = sql<Row & PageColumns<Of>>`${withClause(collection.source)}select ${shown}
    from (select ${known} from ${counted} as counted) as collection
      left join ${rowsInOrder(rows, key, range, parts)} as page on page_visible
    order by page_position`;
  return pageOf((await reading.execute(db).catch(refuseKey(range.after))).rows, range.limit);
}

/** The rows of a page and the one after it, with their positions and the text of their keys. */
function rowsInOrder<Shown, ShownTables extends keyof Shown, Row>(
  rows: SelectQueryBuilder<Shown, ShownTables, Row>,
  key: readonly KeyColumn[],
  { limit, offset, after }: Omit<Page<string>, 'sort'>,
  parts: readonly RawBuilder<boolean>[] | undefined,
) {
  const texts = sql.join(key.map(({ column }) => sql`${sql.ref(column)}::text`));
  const order = sql.join(key.map(({ column, direction: way }) => sql`${sql.ref(column)} ${sql.raw(way)}`));
  const position = sql<string>`row_number() over (order by ${order})`.as('page_position');
  const keyed = rows.select(sql<string[]>`array[${texts}]`.as('page_key'));
  const following = after === undefined ? keyed : keyed.where(isAfter(key, after));
  // For any offset Postgres expects more work than for none, and may then plan the statement again each time.
  if (parts) {
    const skipped = offset === 0 ? sql`` : sql`offset ${offset}`;
    return sql`(select part.*, ${position}
      from ${unionOf(parts, (part) =>
        following
          .where(part)
          .orderBy(order)
          .limit(offset + limit + 1),
      )} as part
      order by ${order} limit ${limit + 1} ${skipped})`;
  }
  const page = following
    .select(position)
    .orderBy(order)
    .limit(limit + 1);
  return offset === 0 ? page : page.offset(offset);
}

/** The rows of a page, without the one after it, and what is known of their collection. */
function pageOf<Row, Of>(found: readonly (Row & PageColumns<Of>)[], limit: number) {
  const present = found.filter((row) => row.page_position !== null);
  const rows = present.slice(0, limit);
  const next = present.length > limit ? (rows.at(-1)?.page_key ?? null) : null;
  const [collection] = found;
  const total = Number(collection?.page_total ?? 0);
  const count = { total: Math.min(total, MAX_COUNTED), totalIsMinimum: total > MAX_COUNTED, next } satisfies PageCount;
  const isVisible = collection?.page_visible === true;
  return { rows, count, isVisible, of: isVisible ? collection.page_of : null };
}

/** What a query returns for each of the parts, as one relation. */
function unionOf(parts: readonly RawBuilder<boolean>[], query: (part: RawBuilder<boolean>) => Expression<unknown>) {
  return sql`(${sql.join(parts.map(query), sql` union all `)})`;
}

function withClause(source: RawBuilder<unknown> | undefined): RawBuilder<unknown> {
  return source ?? sql``;
}

interface KeyColumn {
  readonly column: string;
  readonly direction: Direction;
}

/** Whether a row comes after the row with this key. */
function isAfter(key: readonly KeyColumn[], values: readonly string[]): RawBuilder<boolean> {
  const [first, ...others] = key;
  const [value, ...rest] = values;
  if (!first || value === undefined) return sql<boolean>`false`;
  const later = sql.raw(first.direction === 'asc' ? '>' : '<');
  // Compared as a whole, an index finds the place; otherwise all rows before it are read.
  if (values.length === key.length && others.every(({ direction }) => direction === first.direction))
    return sql<boolean>`(${sql.join(key.map(({ column }) => sql.ref(column)))}) ${later} (${sql.join(values)})`;
  const column = sql.ref(first.column);
  return sql<boolean>`(${column} ${later} ${value} or (${column} = ${value} and ${isAfter(others, rest)}))`;
}

/** SQLSTATE class "data exception": a value of the key does not have the type of its column. */
const DATA_EXCEPTION = /^22/;

function refuseKey(after: readonly string[] | undefined): (error: unknown) => never {
  return (error) => {
    if (after === undefined || !DATA_EXCEPTION.test(sqlStateOf(error))) throw error;
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
