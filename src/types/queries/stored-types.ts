import type { Selectable } from 'kysely';
import type { AcceptedAssetTypes } from '../rules/asset-type.ts';
import type { VaultTerms } from '../../vaults/rules/vault.ts';
import { builtInVaultTypes, closestVaultType, vaultTypes } from '../rules/vault-type.ts';
import type { VaultsTable } from '../../platform/database/tables/vaults.ts';

type TypeTerms = Pick<VaultTerms, 'type' | 'typeRules' | 'assetTypes'>;

/** The columns of a vault's type and of its asset types. The rules of built-in types never change, so they are not copied. */
export function storedTypes({ type, typeRules, assetTypes }: TypeTerms) {
  const isBuiltIn = vaultTypes.some((builtIn) => builtIn === type);
  return {
    type: closestVaultType(typeRules),
    custom_type: isBuiltIn ? null : type,
    type_rules: isBuiltIn ? null : JSON.stringify(typeRules),
    asset_types: Object.keys(assetTypes),
    asset_type_rules: JSON.stringify(assetTypes),
  };
}

/** The type of a vault and its asset types, with the rules that they had when it was created. */
export function readTypes(row: Selectable<VaultsTable>): TypeTerms {
  return {
    type: row.custom_type ?? row.type,
    typeRules: row.type_rules ?? builtInVaultTypes[row.type],
    assetTypes: readAssetTypes(row),
  };
}

/** In the order of the request, which JSON does not keep. */
function readAssetTypes({ asset_types: names, asset_type_rules: stored }: Selectable<VaultsTable>): AcceptedAssetTypes {
  return Object.fromEntries(names.flatMap((name) => (stored[name] ? [[name, stored[name]]] : [])));
}
