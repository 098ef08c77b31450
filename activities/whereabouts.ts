import { refText, type Utxo } from '../src/chain/transaction.ts';
import type { WorkerDeps } from './deps.ts';

type Deps = Pick<WorkerDeps, 'ledger' | 'confirmationDepth'>;

/** Where an output is: unspent, not on the ledger at present, or spent. */
export type Whereabouts =
  | { readonly kind: 'unspent' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'spent'; readonly spender: string; readonly isFinal: boolean };

/** Looks an output up on the ledger. Raises LEDGER_UNAVAILABLE. */
export async function whereaboutsOf(
  { ledger, confirmationDepth }: Deps,
  output: Pick<Utxo, 'txHash' | 'index' | 'address'>,
): Promise<Whereabouts> {
  const unspent = await ledger.utxos(output.address);
  if (unspent.some((candidate) => refText(candidate) === refText(output))) return { kind: 'unspent' };
  for (const { txHash, blockHeight } of (await ledger.addressTransactions(output.address)).toReversed()) {
    // Nothing spends an output before it is there.
    if (txHash === output.txHash) break;
    const moved = await ledger.transactionUtxos(txHash);
    if (!moved?.inputs.some((input) => refText(input) === refText(output))) continue;
    const tip = await ledger.latestBlock();
    return { kind: 'spent', spender: txHash, isFinal: blockHeight <= tip.height - confirmationDepth + 1 };
  }
  return { kind: 'absent' };
}
