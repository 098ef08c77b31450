import { scriptAddress } from '../../cardano/scripts/address.ts';
import { settlementScript } from '../../cardano/scripts/vault-scripts.ts';
import { requireJust } from '../judged.ts';
import { findEarlierMint, type History } from './earlier-mint.ts';
import type { EvidenceContext } from './evidence-context.ts';

interface Context extends Pick<EvidenceContext, 'keys' | 'networkId'> {
  readonly ledger: History;
}

/**
 * Throws TRANSACTION_NOT_JUSTIFIED when a key that a vault has by a rotation is the first one of another vault, whose tokens the ledger says were
 * minted with it: a rotation goes to a key that nothing had. Throws LEDGER_UNAVAILABLE.
 */
export async function requireOwnKeys({ ledger, keys, networkId }: Context, rotated: readonly number[]): Promise<void> {
  for (const index of rotated) {
    const { keyHash: vaultKeyHash } = keys.vaultKey(index);
    const { keyHash: policyKeyHash } = keys.policyKey(index);
    const address = scriptAddress(settlementScript({ vaultKeyHash }), networkId);
    const mint = await findEarlierMint(ledger, { address, policyKeyHash });
    requireJust(mint === null, `transaction ${mint} has minted the tokens of another vault with one of its keys`);
  }
}
