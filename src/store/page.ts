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
