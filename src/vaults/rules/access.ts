import type { VaultTerms } from './vault.ts';
import type { WhitelistRule } from '../../types/rules/vault-type.ts';

/** The attributes of a vault that decide who may read it and deposit in it (design D8). */
export type VaultAccess = Pick<
  VaultTerms,
  'typeRules' | 'contributorWhitelist' | 'investorWhitelist' | 'investorListEnabled'
> & {
  readonly createdBy: string;
};

/** Who reads: a key that may act for any wallet, another key without a session, or a wallet. */
export type Reader =
  | { readonly kind: 'admin_key' }
  | { readonly kind: 'other_key' }
  | { readonly kind: 'wallet'; readonly wallet: string; readonly hasDeposit: boolean };

/** Whether a wallet may contribute assets, by the rule of the vault's type for its whitelist of contributors. */
export function mayContribute(vault: VaultAccess, wallet: string): boolean {
  const rule = vault.typeRules.contributors;
  return rule === 'anyone' || isListed(vault, vault.contributorWhitelist, wallet, rule);
}

/** Whether a wallet may invest: the same rule with the whitelist of investors, which applies whenever it is enabled (design D39c). */
export function mayInvest(vault: VaultAccess, wallet: string): boolean {
  const rule = vault.typeRules.investors;
  const applied = rule === 'anyone' ? 'listed_unless_empty' : rule;
  return !vault.investorListEnabled || isListed(vault, vault.investorWhitelist, wallet, applied);
}

/** Whether a reader may read the vault. For other readers, the vault does not exist. */
export function mayRead(vault: VaultAccess, reader: Reader): boolean {
  if (vault.typeRules.readers === 'anyone' || reader.kind === 'admin_key') return true;
  if (reader.kind === 'other_key') return false;
  const { contributorWhitelist, investorWhitelist } = vault;
  return (
    reader.hasDeposit ||
    [contributorWhitelist, investorWhitelist].some((list) => isListed(vault, list, reader.wallet, 'listed'))
  );
}

/** Whether the vault accepts assets of a policy (hex, any case). */
export function acceptsPolicy({ assetWhitelist }: Pick<VaultTerms, 'assetWhitelist'>, policyId: string): boolean {
  return assetWhitelist.length === 0 || assetWhitelist.some((id) => id.toLowerCase() === policyId.toLowerCase());
}

function isListed(
  { createdBy }: VaultAccess,
  list: readonly string[],
  wallet: string,
  rule: Exclude<WhitelistRule, 'anyone'>,
): boolean {
  if (rule === 'listed') return wallet === createdBy || list.includes(wallet);
  return list.length === 0 || list.includes(wallet);
}
