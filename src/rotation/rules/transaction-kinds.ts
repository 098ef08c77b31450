import type { TransactionKind } from '../../transactions/rules/transaction-state.ts';

/** What brings something to the custody of a settled vault: while one is under way, its custody stays where it is. */
export const toCustodyKinds = [
  'create_vault',
  'mint',
  'deliver',
  'liquidity',
  'refund',
  'execute',
] as const satisfies readonly TransactionKind[];

/** What moves outputs to a new custody: those that executions may spend, and those that they never do. */
export const moveKinds = ['move_custody', 'move_kept'] as const satisfies readonly TransactionKind[];

/** Whether a rotation waits for transactions of a kind. */
export function isAwaitedByRotation(kind: TransactionKind): boolean {
  return [...toCustodyKinds, ...moveKinds].some((awaited) => awaited === kind);
}
