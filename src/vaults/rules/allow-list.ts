import { fieldError } from '../../platform/errors/errors.ts';

export const allowListTypes = ['ASSET', 'CONTRIBUTOR', 'INVESTOR'] as const;
/** ASSET lists policy ids, the others list wallets (spec, "PATCH allowlist"). */
export type AllowListType = (typeof allowListTypes)[number];

export const allowListOperations = ['ADD', 'REMOVE'] as const;
export type AllowListOperation = (typeof allowListOperations)[number];

/** A change of one list of a vault; its entries are policy ids in lower case, or wallet addresses. */
export interface AllowListChange {
  readonly type: AllowListType;
  readonly operation: AllowListOperation;
  readonly entries: readonly string[];
}

/** The largest number of entries of each list. */
export const maxAllowListEntries: Readonly<Record<AllowListType, number>> = {
  ASSET: 500,
  CONTRIBUTOR: 1000,
  INVESTOR: 1000,
};

/**
 * The list after the change: entries that are already there are added once, and those that are not there are removed silently, so
 * that a repeated change has the same result. Throws INVALID_REQUEST at `addresses` when the list would be too long.
 */
export function changedAllowList(
  list: readonly string[],
  { type, operation, entries }: AllowListChange,
): readonly string[] {
  const named = new Set(entries);
  if (operation === 'REMOVE') return list.filter((entry) => !named.has(entry));
  const changed = [...new Set([...list, ...entries])];
  const max = maxAllowListEntries[type];
  if (changed.length > max)
    throw fieldError(
      'INVALID_REQUEST',
      'addresses',
      `The list would have ${changed.length} entries; ${max} are allowed`,
    );
  return changed;
}
