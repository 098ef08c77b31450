export const vaultAddressKinds = ['custody', 'settlement', 'liquidity', 'deposit', 'stake'] as const;

export type VaultAddressKind = (typeof vaultAddressKinds)[number];

/** Where something of a vault can lie. */
export interface VaultAddress {
  readonly kind: VaultAddressKind;
  readonly address: string;
  /** Whose deposits wait there; null where the place is the vault's own. */
  readonly depositor: string | null;
}
