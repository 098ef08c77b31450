import { isOnLedger, type TransactionState } from './transaction-state.ts';

/** How unlikely it is that a rollback takes a transaction off the ledger again. */
export const finalities = ['none', 'low', 'medium', 'high', 'final'] as const;
export type Finality = (typeof finalities)[number];

/** How many thirds of the blocks that make a transaction final have to be exceeded. */
const THIRDS_FOR_MEDIUM = 1;
const THIRDS_FOR_HIGH = 2;

/** The last followed block, and after how many blocks a transaction is final on this network. */
export interface LedgerTip {
  /** Null before the first followed block. */
  readonly height: number | null;
  readonly confirmationDepth: number;
}

export interface Confirmation {
  /** Followed blocks that the transaction is under, its own included; 0 while it is in none. */
  readonly confirmations: number;
  readonly finality: Finality;
}

/** A transaction is final by its state alone: how deep that is may have been configured otherwise when it was reached. */
export function confirmationOf(
  { state, blockHeight }: { readonly state: TransactionState; readonly blockHeight: number | null },
  tip: LedgerTip | null,
): Confirmation {
  if (!isOnLedger(state) || blockHeight === null || tip?.height == null) return { confirmations: 0, finality: 'none' };
  const confirmations = Math.max(0, tip.height - blockHeight + 1);
  return { confirmations, finality: state === 'final' ? 'final' : expectedFinality(confirmations, tip) };
}

function expectedFinality(confirmations: number, { confirmationDepth }: LedgerTip): Finality {
  if (3 * confirmations > THIRDS_FOR_HIGH * confirmationDepth) return 'high';
  return 3 * confirmations > THIRDS_FOR_MEDIUM * confirmationDepth ? 'medium' : 'low';
}
