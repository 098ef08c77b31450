import type { NamedTypes } from './rules/named-types.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { activeRules } from './queries/registered-types.ts';

/** The rules of those of these types that new vaults can use. */
export async function namedTypes(
  db: Db | Transaction,
  { vaultTypes, assetTypes }: { readonly vaultTypes: readonly string[]; readonly assetTypes: readonly string[] },
): Promise<NamedTypes> {
  return {
    vaultTypes: await activeRules(db, 'vault', vaultTypes),
    assetTypes: await activeRules(db, 'asset', assetTypes),
  };
}
