/** The vault types of the specification; others can be registered (design D11). */
export const vaultTypes = ['PUBLIC', 'PRIVATE', 'SEMI_PRIVATE'] as const;
export type VaultType = (typeof vaultTypes)[number];

export const valuationTypes = ['FIXED', 'LBE'] as const;
/** FIXED: the value of an asset is its price at contribution. LBE: its price when the asset window closed. */
export type ValuationType = (typeof valuationTypes)[number];

export const whitelistRules = ['anyone', 'listed_unless_empty', 'listed'] as const;
/** Which wallets may contribute or invest: any, those on the whitelist unless it is empty, or the admin and those on the whitelist. */
export type WhitelistRule = (typeof whitelistRules)[number];

export const readerRules = ['anyone', 'participants'] as const;

/** What a vault type decides; a vault keeps the rules that its type had when it was created (design D8, D11). */
export interface VaultTypeRules {
  /** Participants are the admin, wallets on a whitelist, and those with a deposit or a stake. */
  readonly readers: (typeof readerRules)[number];
  readonly contributors: WhitelistRule;
  readonly investors: WhitelistRule;
  /** In which ways the assets of such a vault may be valued. */
  readonly valuationTypes: readonly ValuationType[];
  /** Names of the asset types that such a vault may accept; any if empty. */
  readonly assetTypes: readonly string[];
}

const unrestricted = { valuationTypes, assetTypes: [] } as const;

/** The rules of the vault types of the specification, as the registry has them. */
export const builtInVaultTypes: Readonly<Record<VaultType, VaultTypeRules>> = {
  PUBLIC: { readers: 'anyone', contributors: 'anyone', investors: 'anyone', ...unrestricted },
  PRIVATE: { readers: 'participants', contributors: 'listed', investors: 'listed', ...unrestricted },
  SEMI_PRIVATE: {
    readers: 'anyone',
    contributors: 'listed_unless_empty',
    investors: 'listed_unless_empty',
    ...unrestricted,
  },
};

/** The type of the specification that is most like these rules. Only vaults with the readers of PRIVATE are PRIVATE. */
export function closestVaultType({ readers, contributors, investors }: VaultTypeRules): VaultType {
  if (readers === 'participants') return 'PRIVATE';
  return contributors === 'anyone' && investors === 'anyone' ? 'PUBLIC' : 'SEMI_PRIVATE';
}

/** Whether a wallet that may contribute or invest might not be able to read the vault. */
export function excludesReaders({ readers, contributors, investors }: VaultTypeRules): boolean {
  return readers === 'participants' && (contributors !== 'listed' || investors !== 'listed');
}
