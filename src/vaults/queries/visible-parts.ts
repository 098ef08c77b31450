import { type RawBuilder, sql } from 'kysely';
import { depositVaults, type ReaderScope } from './visible-vaults.ts';

/**
 * The rule of `visibleTo` in conditions of which a vault meets at most one: an index serves each, while one condition for all reads past those that
 * are hidden.
 */
export function visibleParts(scope: ReaderScope): readonly RawBuilder<boolean>[] {
  if (scope === 'everyone') return [sql<boolean>`true`];
  const shown = sql<boolean>`type <> 'PRIVATE'`;
  if (scope === 'public') return [shown];
  return [shown, sql<boolean>`type = 'PRIVATE' and id = any(array(${ownVaults(scope)}))`];
}

/** The ids of the vaults that a wallet may see whatever their type, some more than once. */
export function ownVaults({ wallet }: { readonly wallet: string }): RawBuilder<unknown> {
  return sql`select id from vaults where created_by = ${wallet}
    union all select id from vaults where type = 'PRIVATE' and contributor_whitelist @> array[${wallet}::text]
    union all select id from vaults where type = 'PRIVATE' and investor_whitelist @> array[${wallet}::text]
    union all ${depositVaults(wallet)}`;
}
