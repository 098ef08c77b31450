import { type AssetType } from '../asset/asset.ts';
import { type VaultTerms } from './vault.ts';

/** Who may reach a vault is decided by its type, its lists and its admin's wallet (design D8). */
export type VaultAccess = Pick<VaultTerms, 'type' | 'contributorWhitelist' | 'investorWhitelist'> & {
  readonly createdBy: string;
};

/** Who reads: a key with every right, a key that speaks for no wallet, or a wallet with what ties it to the vault. */
export type Reader =
  | { readonly kind: 'admin_key' }
  | { readonly kind: 'other_key' }
  | { readonly kind: 'wallet'; readonly wallet: string; readonly hasDeposit: boolean };

/** Whether a wallet may bring assets; a private vault is open to its admin and the list, a semi-private one to a list that has entries. */
export function mayContribute(vault: VaultAccess, wallet: string): boolean {
  return mayDeposit(vault, vault.contributorWhitelist, wallet);
}

/** Whether a wallet may invest; the same rule over the investors' list. */
export function mayInvest(vault: VaultAccess, wallet: string): boolean {
  return mayDeposit(vault, vault.investorWhitelist, wallet);
}

/** Whether a reader is shown the vault; whoever is not gets the answer of a vault that does not exist. */
export function mayRead(vault: VaultAccess, reader: Reader): boolean {
  if (vault.type !== 'PRIVATE' || reader.kind === 'admin_key') return true;
  if (reader.kind === 'other_key') return false;
  return reader.hasDeposit || mayContribute(vault, reader.wallet) || mayInvest(vault, reader.wallet);
}

/** Whether the vault takes assets of a policy (hex, any case). */
export function acceptsPolicy({ assetWhitelist }: Pick<VaultTerms, 'assetWhitelist'>, policyId: string): boolean {
  return assetWhitelist.length === 0 || assetWhitelist.some((id) => id.toLowerCase() === policyId.toLowerCase());
}

/** Whether the vault takes assets of a type. */
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
