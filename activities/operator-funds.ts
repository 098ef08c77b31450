import type { Payer } from '../src/chain/build/funding.ts';
import type { ChainTransaction } from '../src/store/chain-transactions.ts';
import { excludeLeased } from '../src/store/utxo-leases.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import { refText } from '../src/domain/transaction/utxo-ref.ts';

type Deps = Pick<WorkerContext, 'db' | 'ledger' | 'keys'>;

/**
 * The operator's free UTxOs. A transaction that replaces expired ones pays with one of their inputs where it still can, so
 * that even a deep rollback never lets both land (design §5).
 */
export async function operatorFunds(
  { db, ledger, keys }: Deps,
  replaced: readonly ChainTransaction[] = [],
): Promise<Payer> {
  const { address, keyHash } = keys.operator;
  const free = await excludeLeased(db, await ledger.utxos(address));
  const before = new Set(replaced.flatMap(({ inputs }) => inputs.map(refText)));
  const again = free.filter((utxo) => before.has(refText(utxo)));
  return { address, keyHash, utxos: again.length > 0 ? again : free };
}
