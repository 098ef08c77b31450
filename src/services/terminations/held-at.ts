import type { Utxo } from '../../chain/transaction.ts';
import { ServiceError } from '../../domain/errors.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import { platformOutputsAt } from '../../store/books/held-outputs.ts';
import { excludeLeased } from '../../store/utxo-leases.ts';
import type { Vault } from '../../store/vaults.ts';
import { ownPlaces } from '../books/vault-places.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * What the ledger holds at an address of a vault that ends. Throws LEDGER_UNAVAILABLE, also when an output is missing that a followed
 * block has put there and that nothing spends: a backend lags behind, and what is not seen would be left behind for good.
 */
export async function heldAt(
  { db, ledger, networkId }: Pick<WorkerContext, 'db' | 'ledger' | 'networkId'>,
  vault: Vault,
  address: string,
): Promise<readonly Utxo[]> {
  const found = await ledger.custodyUtxos(address);
  const seen = new Set(found.map(refText));
  const expected = await platformOutputsAt(db, { ...ownPlaces(vault, networkId), address });
  const missing = await excludeLeased(
    db,
    expected.filter((output) => !seen.has(refText(output))),
  );
  if (missing.length === 0) return found;
  const reason = `outputs at ${address} are missing: ${missing.map(refText).join(', ')}`;
  throw new ServiceError('LEDGER_UNAVAILABLE', { reason });
}
