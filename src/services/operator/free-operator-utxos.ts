import type { Payer } from '../../chain/build/funding.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import { excludeLeased } from '../../store/utxo-leases.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * The operator's free UTxOs. A transaction that replaces expired ones pays with one of their inputs where it still can, so
 * that both can never land, even after a deep rollback (design §5). Throws LEDGER_UNAVAILABLE.
 */
export async function operatorFunds(
  { db, ledger, keys }: Pick<WorkerContext, 'db' | 'ledger' | 'keys'>,
  replaced: readonly ChainTransaction[] = [],
): Promise<Payer> {
  const { address, keyHash } = keys.operator;
  const free = await excludeLeased(db, await ledger.payingUtxos(address));
  const replacedInputs = new Set(replaced.flatMap(({ inputs }) => inputs.map(refText)));
  const reusable = free.filter((utxo) => replacedInputs.has(refText(utxo)));
  return { address, keyHash, utxos: reusable.length > 0 ? reusable : free };
}
