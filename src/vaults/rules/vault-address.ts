export const vaultAddressKinds = ['custody', 'settlement', 'liquidity', 'claims', 'deposit', 'stake'] as const;

export type VaultAddressKind = (typeof vaultAddressKinds)[number];

/** An address at which a vault or its depositors hold funds. */
export interface VaultAddress {
  readonly kind: VaultAddressKind;
  readonly address: string;
  /** The wallet whose deposits it holds; null for the vault's own addresses. */
  readonly depositor: string | null;
}
