import type { SelectQueryBuilder } from 'kysely';

/** Which rows of a collection are wanted. */
export interface Page<Field extends string> {
  readonly limit: number;
  readonly offset: number;
  readonly sort: { readonly field: Field; readonly direction: 'asc' | 'desc' };
}

/** The wanted rows of `ordered`, and how many rows `matching` has in all. */
export async function pageOfRows<
  Shown,
  ShownTables extends keyof Shown,
  Row,
  Matched,
  MatchedTables extends keyof Matched,
  Selected,
>(
  ordered: SelectQueryBuilder<Shown, ShownTables, Row>,
  matching: SelectQueryBuilder<Matched, MatchedTables, Selected>,
  { limit, offset }: Pick<Page<string>, 'limit' | 'offset'>,
) {
  const counting = matching.select(({ fn }) => fn.countAll<string>().as('total')).$castTo<{ total: string }>();
  const [rows, { total }] = await Promise.all([
    ordered.limit(limit).offset(offset).execute(),
    counting.executeTakeFirstOrThrow(),
  ]);
  return { rows, total: Number(total) };
}

/** The fields of a filter that are given, for `eb.and`; one that is undefined matches every row. */
export function givenFields<Filter extends object>(
  filter: Filter,
): { [F in keyof Filter]?: Exclude<Filter[F], undefined> } {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [F in keyof Filter]?: Exclude<Filter[F], undefined> };
}
