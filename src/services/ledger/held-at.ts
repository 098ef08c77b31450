import type { Utxo } from '../../chain/transaction.ts';
import { ServiceError } from '../../domain/errors.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import { unspentOutputsAt } from '../../store/unspent-outputs.ts';
import { excludeLeased } from '../../store/utxo-leases.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * What the ledger holds at an address of a vault itself. Throws LEDGER_UNAVAILABLE, also when an output is missing that a followed block
 * has put there and that nothing spends: a backend lags behind, and what is not seen would be left behind or missed for good.
 */
export async function heldAt(
  { db, ledger }: Pick<WorkerContext, 'db' | 'ledger'>,
  vaultId: string,
  address: string,
): Promise<readonly Utxo[]> {
  const expected = await unspentOutputsAt(db, vaultId, address);
  const found = await ledger.custodyUtxos(address, expected);
  const seen = new Set(found.map(refText));
  const missing = await excludeLeased(
    db,
    expected.filter((output) => !seen.has(refText(output))),
  );
  if (missing.length === 0) return found;
  const reason = `outputs at ${address} are missing: ${missing.map(refText).join(', ')}`;
  throw new ServiceError('LEDGER_UNAVAILABLE', { reason });
}
