import type { Utxo } from '../src/chain/transaction.ts';
import type { WorkerDeps } from './deps.ts';
import { refText } from '../src/domain/transaction/utxo-ref.ts';

type Deps = Pick<WorkerDeps, 'ledger' | 'confirmationDepth'>;
type Output = Pick<Utxo, 'txHash' | 'index' | 'address'>;

/** Where an output is that is not unspent: not on the ledger at present, or spent. */
export type OutputStatus =
  { readonly kind: 'absent' } | { readonly kind: 'spent'; readonly spender: string; readonly isFinal: boolean };

/** Whether an output lies on the ledger. Raises LEDGER_UNAVAILABLE. */
export async function isUnspent({ ledger }: Pick<Deps, 'ledger'>, output: Output): Promise<boolean> {
  const unspent = await ledger.utxos(output.address);
  return unspent.some((candidate) => refText(candidate) === refText(output));
}

/**
 * Looks for what has spent an output that is not unspent. This reads the history of its address back to the transaction that
 * made it, so what can be known otherwise is to be asked first. Raises LEDGER_UNAVAILABLE.
 */
export async function findSpendingTransaction(
  { ledger, confirmationDepth }: Deps,
  output: Output,
): Promise<OutputStatus> {
  // Nothing spends an output that is not there, or before it is: without its maker there is no end to look up to.
  if ((await ledger.transaction(output.txHash)) === null) return { kind: 'absent' };
  for await (const { txHash, blockHeight } of ledger.addressTransactions(output.address)) {
    if (txHash === output.txHash) break;
    const moved = await ledger.transactionUtxos(txHash);
    if (!moved?.inputs.some((input) => refText(input) === refText(output))) continue;
    const tip = await ledger.latestBlock();
    return { kind: 'spent', spender: txHash, isFinal: blockHeight <= tip.height - confirmationDepth + 1 };
  }
  return { kind: 'absent' };
}
