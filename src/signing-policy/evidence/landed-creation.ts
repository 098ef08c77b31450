import { ServiceError } from '../../platform/errors/errors.ts';
import { creationOf } from '../creation.ts';
import { decodeTransaction } from '../decode-transaction.ts';
import type { LandedCreation } from '../evidence.ts';
import type { VaultPlaces } from '../places.ts';
import { readUntrusted } from '../read-untrusted.ts';
import { findCreation, type Labelled } from './earlier-mint.ts';

/**
 * What the creation of a vault says on the ledger: the first one with its policy key, since the worker signs no second one. Throws
 * LEDGER_UNAVAILABLE while there is none.
 */
export async function landedCreation(
  { ledger }: { readonly ledger: Labelled },
  { policyKeyHash }: Pick<VaultPlaces, 'policyKeyHash'>,
): Promise<LandedCreation> {
  const hash = await findCreation(ledger, policyKeyHash);
  const made = hash && readUntrusted(await ledger.transactionCbor(hash), decodeTransaction);
  if (!made || made.hash !== hash)
    throw new ServiceError('LEDGER_UNAVAILABLE', { reason: 'the creation of the vault is in no block yet' });
  return creationOf(made, policyKeyHash);
}
