import { transitions } from '../../platform/states/transitions.ts';
import type { Instant } from '../../platform/units/instant.ts';

/** The states of a transaction (design §5). `final` means deep enough in the ledger that no rollback is expected on this network. */
export const transactionStates = [
  'awaiting_signatures',
  'pending',
  'submitted',
  'confirmed',
  'final',
  'expired',
  'failed',
] as const;
export type TransactionState = (typeof transactionStates)[number];

/** What a transaction of the platform or of a wallet is for. */
export const transactionKinds = [
  'create_vault',
  'add_asset',
  'remove_asset',
  'remove_investment',
  'invest',
  'stake',
  'unstake',
  'mint',
  'deliver',
  'liquidity',
  'refund',
  'fan_out',
  'anchor',
  'execute',
  'return_unsolicited',
  'gather_pot',
  'hand_over',
  'pay_remainder',
  'close_vault',
  'claim',
  'move_custody',
  'move_kept',
] as const;
export type TransactionKind = (typeof transactionKinds)[number];

/** Transactions that add a deposit to a vault before it settles, or remove one. */
export const depositKinds = [
  'add_asset',
  'remove_asset',
  'invest',
  'remove_investment',
] as const satisfies readonly TransactionKind[];

/** The next state of a transaction. Throws INVALID_TRANSITION. A rollback sets it back to `submitted`. */
export const transactionTransition = transitions<TransactionState>(
  'transaction',
  {
    // A wallet can submit what it signed by itself; it fails if that is something else than its row says.
    awaiting_signatures: ['pending', 'confirmed', 'expired', 'failed'],
    pending: ['submitted', 'confirmed', 'expired', 'failed'],
    submitted: ['confirmed', 'expired', 'failed'],
    confirmed: ['final'],
    final: [],
    // What lands counts, also when it had been given up (design D45).
    expired: ['confirmed'],
    failed: ['confirmed'],
  },
  { confirmed: ['submitted'], final: ['submitted'] },
);

/** Whether the transaction is neither final nor ended. */
export function isOpen(state: TransactionState): boolean {
  return state !== 'final' && state !== 'expired' && state !== 'failed';
}

/** The end of a transaction that can no longer land. */
export type TransactionEnd = Extract<TransactionState, 'expired' | 'failed'>;

/** Whether the transaction was given up: it expired or failed. */
export function hasEnded(state: TransactionState): state is TransactionEnd {
  return state === 'expired' || state === 'failed';
}

/** The state of a transaction as readers see it: nobody can sign it any more once the time for that is over. */
export function visibleState(
  { state, expiresAt }: { readonly state: TransactionState; readonly expiresAt: Instant },
  now: Instant,
): TransactionState {
  return state === 'awaiting_signatures' && expiresAt <= now ? 'expired' : state;
}

/** Whether the transaction is in a block at present. */
export function isOnLedger(state: TransactionState): boolean {
  return state === 'confirmed' || state === 'final';
}
