import type { TransactionKind } from './transaction-state.ts';

/**
 * Kinds of transactions whose outputs in custody stay there: the share of reclaimed deposits (design D13c), the token whose datum
 * says the decimals of the vault token (design D21), which another output would not have, and the vault's NFT; and what a rotation moves of
 * these.
 */
const keptInCustody: readonly TransactionKind[] = ['liquidity', 'mint', 'create_vault', 'close_vault', 'move_kept'];

/** Whether a vault can spend the outputs in its custody that a transaction of this kind made. */
export function isSpendableFromCustody(kind: TransactionKind): boolean {
  return !keptInCustody.includes(kind);
}
