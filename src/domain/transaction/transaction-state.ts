import { transitions } from '../transitions.ts';

/** What a caller sees of a transaction (design §5). `final` is as deep as this network needs to be sure. */
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

/** Everything the platform moves or promises by a transaction of its own or of a wallet. */
export const transactionKinds = [
  'create_vault',
  'add_asset',
  'remove_asset',
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
] as const;
export type TransactionKind = (typeof transactionKinds)[number];

/** What brings something into a vault before it settles, or takes it out again. */
export const depositKinds = ['add_asset', 'remove_asset', 'invest'] as const satisfies readonly TransactionKind[];

/** The next state of a transaction; throws INVALID_TRANSITION. A rollback takes it back to `submitted`. */
export const transactionTransition = transitions<TransactionState>(
  'transaction',
  {
    // A wallet can send what it signed by itself.
    awaiting_signatures: ['pending', 'confirmed', 'expired'],
    pending: ['submitted', 'confirmed', 'expired', 'failed'],
    submitted: ['confirmed', 'expired', 'failed'],
    confirmed: ['final'],
    final: [],
    expired: [],
    failed: [],
  },
  { confirmed: ['submitted'], final: ['submitted'] },
);

/** Whether the transaction can still change what lies in a vault. */
export function isOpen(state: TransactionState): boolean {
  return state !== 'final' && state !== 'expired' && state !== 'failed';
}

/** How a transaction ends that can never land any more. */
export type TransactionEnd = Extract<TransactionState, 'expired' | 'failed'>;

/** Whether its effects hold at present. */
export function isOnLedger(state: TransactionState): boolean {
  return state === 'confirmed' || state === 'final';
}
