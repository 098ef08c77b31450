import { ServiceError } from '../../../domain/errors.ts';
import { creationOf } from '../../../justification/creation.ts';
import { decodeTransaction } from '../../../justification/decode-transaction.ts';
import type { LandedCreation } from '../../../justification/evidence.ts';
import type { VaultPlaces } from '../../../justification/places.ts';
import { readUntrusted } from '../../../justification/read-untrusted.ts';
import { findCreation, findEarlierMint, type History, type Labelled } from './earlier-mint.ts';
import type { EvidenceContext } from './evidence-context.ts';
import { requireOwnCosigners } from './own-keys.ts';

/**
 * What the creation of a vault says on the ledger: the first one with its policy key, since the worker signs no second one. One of an earlier
 * release can only be found where rows say that its NFT went. Throws LEDGER_UNAVAILABLE while there is none.
 */
export async function landedCreation(
  { ledger, networkId }: Pick<EvidenceContext, 'networkId'> & { readonly ledger: History & Labelled },
  vault: VaultPlaces,
): Promise<LandedCreation> {
  const { policyKeyHash, custody: address } = vault;
  const labelled = await findCreation(ledger, policyKeyHash);
  if (labelled === null) await requireOwnCosigners({ ledger, networkId }, vault);
  const hash = labelled ?? (await findEarlierMint(ledger, { address, policyKeyHash }));
  const made = hash && readUntrusted(await ledger.transactionCbor(hash), decodeTransaction);
  const creation = made && made.hash === hash ? creationOf(made, policyKeyHash) : null;
  // A backend that lags behind shows a creation at an address before it lists its label.
  if (creation === null || (labelled === null && creation.terms !== null))
    throw new ServiceError('LEDGER_UNAVAILABLE', { reason: 'the creation of the vault is in no block yet' });
  return creation;
}
