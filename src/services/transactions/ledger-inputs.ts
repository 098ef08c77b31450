import type { LedgerInput } from '../../chain/build/preflight.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import { type ChainTransaction, recordedHashes } from '../../store/chain-transactions.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * The inputs of a transaction as they are on the ledger: what strangers made may carry what the transaction was not built for.
 * Outputs of our own transactions are as we built them, and those that the ledger does not know are left to it. Throws
 * LEDGER_UNAVAILABLE.
 */
export async function ledgerInputs(
  { db, ledger }: Pick<WorkerContext, 'db' | 'ledger'>,
  { inputs }: ChainTransaction,
): Promise<readonly LedgerInput[]> {
  const hashes = [...new Set(inputs.map(({ txHash }) => txHash))];
  const own = await recordedHashes(db, hashes);
  const found = new Map<string, LedgerInput>();
  for (const txHash of hashes.filter((hash) => !own.has(hash)))
    for (const output of (await ledger.transactionUtxos(txHash))?.outputs ?? [])
      found.set(refText({ txHash, index: output.index }), { ...output, txHash });
  return inputs.map((input) => found.get(refText(input)) ?? input);
}
