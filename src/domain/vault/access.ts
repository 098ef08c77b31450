import { type AssetType } from '../asset/asset.ts';
import type { VaultTerms, VaultType } from './vault.ts';

/** The attributes of a vault that decide who may read it and deposit in it (design D8). */
export type VaultAccess = Pick<
  VaultTerms,
  'type' | 'contributorWhitelist' | 'investorWhitelist' | 'investorListEnabled'
> & {
  readonly createdBy: string;
};

/** Who reads: a key that may act for any wallet, another key without a session, or a wallet. */
export type Reader =
  | { readonly kind: 'admin_key' }
  | { readonly kind: 'other_key' }
  | { readonly kind: 'wallet'; readonly wallet: string; readonly hasDeposit: boolean };

/** Whether a wallet may contribute assets. PRIVATE: the admin and the whitelist. SEMI_PRIVATE: the whitelist, or anyone if it is empty. */
export function mayContribute(vault: VaultAccess, wallet: string): boolean {
  return !listsApply(vault.type) || isListed(vault, vault.contributorWhitelist, wallet);
}

/** Whether a wallet may invest: the same rule with the whitelist of investors, which applies whenever it is enabled (design D39c). */
export function mayInvest(vault: VaultAccess, wallet: string): boolean {
  return !vault.investorListEnabled || isListed(vault, vault.investorWhitelist, wallet);
}

/** Whether a reader may read the vault. For other readers, the vault does not exist. */
export function mayRead(vault: VaultAccess, reader: Reader): boolean {
  if (vault.type !== 'PRIVATE' || reader.kind === 'admin_key') return true;
  if (reader.kind === 'other_key') return false;
  const { contributorWhitelist, investorWhitelist } = vault;
  return (
    reader.hasDeposit || [contributorWhitelist, investorWhitelist].some((list) => isListed(vault, list, reader.wallet))
  );
}

/** Whether the whitelists of a vault of this type apply, unless its settings say otherwise (design D8). */
export function listsApply(type: VaultType): boolean {
  return type !== 'PUBLIC';
}

/** Whether the vault accepts assets of a policy (hex, any case). */
export function acceptsPolicy({ assetWhitelist }: Pick<VaultTerms, 'assetWhitelist'>, policyId: string): boolean {
  return assetWhitelist.length === 0 || assetWhitelist.some((id) => id.toLowerCase() === policyId.toLowerCase());
}

/** Whether the vault accepts assets of a type. */
export function acceptsAssetType({ assetTypes }: Pick<VaultTerms, 'assetTypes'>, type: AssetType): boolean {
  return assetTypes.includes(type);
}

function isListed({ type, createdBy }: VaultAccess, list: readonly string[], wallet: string): boolean {
  if (type === 'PRIVATE') return wallet === createdBy || list.includes(wallet);
  return list.length === 0 || list.includes(wallet);
}
