import type { Deposit } from '../src/chain/deposits.ts';
import { refText, type UtxoRef } from '../src/chain/transaction.ts';
import { findTransactionByHash } from '../src/store/chain-transactions.ts';
import type { WorkerDeps } from './deps.ts';

type Deps = Pick<WorkerDeps, 'db' | 'ledger' | 'confirmationDepth'>;

/**
 * The hash of the transaction by which an owner has taken a deposit back alone, as he can from T on (design D20); null while
 * it is there. Throws while that is not certain yet, and when the deposit itself is not on the ledger at present.
 */
export async function reclaimedBy(deps: Deps, { utxo }: Pick<Deposit, 'utxo'>): Promise<string | null> {
  const unspent = await deps.ledger.utxos(utxo.address);
  if (unspent.some((candidate) => refText(candidate) === refText(utxo))) return null;
  const spender = await spenderOf(deps, utxo.address, utxo);
  if (spender === null) throw new Error(`deposit ${refText(utxo)} is not on the ledger at present`);
  if (await findTransactionByHash(deps.db, spender.txHash))
    throw new Error(`deposit ${refText(utxo)} was spent by our own transaction ${spender.txHash}`);
  const tip = await deps.ledger.latestBlock();
  if (spender.blockHeight > tip.height - deps.confirmationDepth + 1)
    throw new Error(`deposit ${refText(utxo)} was taken back by ${spender.txHash}, which is not final yet`);
  return spender.txHash;
}

async function spenderOf({ ledger }: Deps, address: string, deposit: UtxoRef) {
  for (const candidate of (await ledger.addressTransactions(address)).toReversed()) {
    const moved = await ledger.transactionUtxos(candidate.txHash);
    if (moved?.inputs.some((input) => refText(input) === refText(deposit))) return candidate;
  }
  return null;
}
