import type { Utxo } from '../transaction.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import type { Ledger } from './ledger.ts';

interface Context {
  readonly ledger: Ledger;
  /** Blocks after which a transaction is final. */
  readonly confirmationDepth: number;
}

type Output = Pick<Utxo, 'txHash' | 'index' | 'address'>;

/** The status of an output that is not unspent: not on the ledger at present, or spent. */
export type OutputStatus =
  | { readonly kind: 'absent' }
  | { readonly kind: 'spent'; readonly spender: string; readonly blockHeight: number; readonly isFinal: boolean };

/** Whether an output is on the ledger and unspent. Throws LEDGER_UNAVAILABLE. */
export async function isUnspent({ ledger }: Pick<Context, 'ledger'>, output: Output): Promise<boolean> {
  const unspent = await ledger.utxos(output.address);
  return unspent.some((candidate) => refText(candidate) === refText(output));
}

/**
 * Finds the transaction that has spent an output. This reads the history of its address back to the transaction that made
 * it, so callers check first what they can know otherwise. Throws LEDGER_UNAVAILABLE.
 */
export async function findSpendingTransaction(
  { ledger, confirmationDepth }: Context,
  output: Output,
): Promise<OutputStatus> {
  // If the transaction that made the output is not on the ledger, the search would have no end.
  if ((await ledger.transaction(output.txHash)) === null) return { kind: 'absent' };
  for await (const { txHash, blockHeight } of ledger.addressTransactions(output.address)) {
    if (txHash === output.txHash) break;
    const utxos = await ledger.transactionUtxos(txHash);
    if (!utxos?.inputs.some((input) => refText(input) === refText(output))) continue;
    const tip = await ledger.latestBlock();
    return { kind: 'spent', spender: txHash, blockHeight, isFinal: blockHeight <= tip.height - confirmationDepth + 1 };
  }
  return { kind: 'absent' };
}
