import type { Utxo } from '../cardano/transaction.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { refText, type UtxoRef } from '../transactions/rules/utxo-ref.ts';
import { unspentOutputsAt } from '../settlement/queries/unspent-outputs.ts';
import { excludeLeased } from '../transactions/queries/utxo-leases.ts';
import type { WorkerContext } from '../worker-context.ts';

type Context = Pick<WorkerContext, 'db' | 'ledger'>;

/**
 * What the ledger holds at an address of a vault itself. Throws LEDGER_UNAVAILABLE, also when an output is missing that a followed block
 * has put there and that nothing spends: a backend lags behind, and what is not seen would be left behind or missed for good.
 */
export async function heldAt(context: Context, vaultId: string, address: string): Promise<readonly Utxo[]> {
  const { seen, unseen } = await seenAt(context, vaultId, address);
  const missing = await excludeLeased(context.db, unseen);
  if (missing.length > 0) throw outputsMissing(address, missing);
  return seen;
}

/** LEDGER_UNAVAILABLE: the backend lags behind and is asked again. */
export function outputsMissing(address: string, missing: readonly UtxoRef[]): ServiceError {
  const reason = `outputs at ${address} are missing: ${missing.map(refText).join(', ')}`;
  return new ServiceError('LEDGER_UNAVAILABLE', { reason });
}

/**
 * What the ledger shows at an address of a vault itself, and which outputs it does not show that a followed block has put there: spent in a
 * block that is not followed yet, or by a backend that lags behind.
 */
export async function seenAt(
  { db, ledger }: Context,
  vaultId: string,
  address: string,
): Promise<{ readonly seen: readonly Utxo[]; readonly unseen: UtxoRef[] }> {
  const expected = await unspentOutputsAt(db, vaultId, address);
  const seen = await ledger.custodyUtxos(address, expected);
  const known = new Set(seen.map(refText));
  return { seen, unseen: expected.filter((output) => !known.has(refText(output))) };
}
