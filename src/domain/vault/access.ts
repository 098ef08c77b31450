import { type AssetType } from '../asset/asset.ts';
import { type VaultTerms } from './vault.ts';

/** The attributes of a vault that decide who may read it and deposit in it (design D8). */
export type VaultAccess = Pick<VaultTerms, 'type' | 'contributorWhitelist' | 'investorWhitelist'> & {
  readonly createdBy: string;
};

/** Who reads: a key that may act for any wallet, another key without a session, or a wallet. */
export type Reader =
  | { readonly kind: 'admin_key' }
  | { readonly kind: 'other_key' }
  | { readonly kind: 'wallet'; readonly wallet: string; readonly hasDeposit: boolean };

/** Whether a wallet may contribute assets. PRIVATE: the admin and the whitelist. SEMI_PRIVATE: the whitelist, or anyone if it is empty. */
export function mayContribute(vault: VaultAccess, wallet: string): boolean {
  return mayDeposit(vault, vault.contributorWhitelist, wallet);
}

/** Whether a wallet may invest: the same rule with the whitelist of investors. */
export function mayInvest(vault: VaultAccess, wallet: string): boolean {
  return mayDeposit(vault, vault.investorWhitelist, wallet);
}

/** Whether a reader may read the vault. For other readers, the vault does not exist. */
export function mayRead(vault: VaultAccess, reader: Reader): boolean {
  if (vault.type !== 'PRIVATE' || reader.kind === 'admin_key') return true;
  if (reader.kind === 'other_key') return false;
  return reader.hasDeposit || mayContribute(vault, reader.wallet) || mayInvest(vault, reader.wallet);
}

/** Whether the vault accepts assets of a policy (hex, any case). */
export function acceptsPolicy({ assetWhitelist }: Pick<VaultTerms, 'assetWhitelist'>, policyId: string): boolean {
  return assetWhitelist.length === 0 || assetWhitelist.some((id) => id.toLowerCase() === policyId.toLowerCase());
}

/** Whether the vault accepts assets of a type. */
export function acceptsAssetType({ assetTypes }: Pick<VaultTerms, 'assetTypes'>, type: AssetType): boolean {
  return assetTypes.includes(type);
}

function mayDeposit(vault: VaultAccess, list: readonly string[], wallet: string): boolean {
  switch (vault.type) {
    case 'PUBLIC':
      return true;
    case 'PRIVATE':
      return wallet === vault.createdBy || list.includes(wallet);
    case 'SEMI_PRIVATE':
      return list.length === 0 || list.includes(wallet);
  }
}
