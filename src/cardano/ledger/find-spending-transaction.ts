import { refText } from '../../transactions/rules/utxo-ref.ts';
import type { Ledger } from './ledger.ts';
import { type Output, type SearchBudget, searchHistory, type Spender, spends } from './search-history.ts';

interface Context {
  readonly ledger: Ledger;
  /** Blocks after which a transaction is final. */
  readonly confirmationDepth: number;
  /** Shared by several searches; each has its own unless it is given. */
  readonly budget?: SearchBudget;
}

/** The status of an output that is not unspent: not on the ledger at present, spent, or to be searched for further by the next call. */
export type OutputStatus =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'spent'; readonly spender: string; readonly blockHeight: number; readonly isFinal: boolean };

/** Whether an output is on the ledger and unspent. Throws LEDGER_UNAVAILABLE. */
export async function isUnspent({ ledger }: Pick<Context, 'ledger'>, output: Output): Promise<boolean> {
  const unspent = await ledger.utxos(output.address);
  return unspent.some((candidate) => refText(candidate) === refText(output));
}

/**
 * Finds the transaction that has spent an output. Where the ledger does not name it, this reads the history of the address back to the
 * transaction that made the output, a part at a time: an unfinished search goes on where it was when it is called again. Callers check
 * first what they can know otherwise. Throws LEDGER_UNAVAILABLE.
 */
export async function findSpendingTransaction(context: Context, output: Output): Promise<OutputStatus> {
  const { ledger, confirmationDepth } = context;
  // If the transaction that made the output is not on the ledger, the search would have no end.
  const made = await ledger.transactionUtxos(output.txHash);
  if (made === null) return { kind: 'absent' };
  const named = made.outputs.find(({ index }) => index === output.index)?.spentBy ?? null;
  const found = (await confirmSpender(ledger, named, output)) ?? (await searchHistory(context, output));
  if (typeof found === 'string') return { kind: found };
  const tip = await ledger.latestBlock();
  const isFinal = found.blockHeight <= tip.height - confirmationDepth + 1;
  return { kind: 'spent', spender: found.txHash, blockHeight: found.blockHeight, isFinal };
}

/** The transaction that the ledger names as the spender, if it is one; not every ledger names it. */
async function confirmSpender(ledger: Ledger, txHash: string | null, output: Output): Promise<Spender | null> {
  if (txHash === null || !(await spends(ledger, txHash, output))) return null;
  const found = await ledger.transaction(txHash);
  return found && { txHash, blockHeight: found.blockHeight };
}
