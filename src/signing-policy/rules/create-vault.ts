import type { CborMap } from '../../cardano/cbor/read-cbor.ts';
import { scriptHash } from '../../cardano/scripts/native-script.ts';
import { policyScript } from '../../cardano/scripts/vault-scripts.ts';
import { termsIn } from '../mint.ts';
import type { CreationEvidence } from '../evidence.ts';
import {
  equalAssets,
  requireAssetsGained,
  requireInputsAt,
  requireOperatorGainsNothing,
  requireOutputsAt,
  type SigningRequest,
  assertAllowed,
  lifetime,
  type Rule,
} from '../policy.ts';
import { lackingLovelace } from '../min-ada.ts';

/**
 * The operator pays for one NFT of the vault's own policy, which goes to its custody and names the vault. A vault is created once: its mint
 * is evaluated by where that was, and by the terms to which it commits.
 */
export const createVault: Rule<CreationEvidence> = {
  keys: ['operator', 'policy'],
  mayCarry: ['mint', 'metadata'],
  lifetimeSeconds: lifetime.prepared,
  operatorPays: lackingLovelace,
  evaluate(request, { vault, vaultId, nftNameHex, terms, earlierCreation }) {
    const { transaction, operator } = request;
    assertAllowed(earlierCreation === null, `transaction ${earlierCreation} has created this vault`);
    requireInputsAt(request, [operator]);
    requireOutputsAt(request, [operator, vault.custody]);
    const { policyKeyHash } = vault;
    const policyId = scriptHash(policyScript({ policyKeyHash, deadlineSlot: transaction.ttlSlot ?? 0 }));
    const nft = new Map([[policyId + nftNameHex, 1n]]);
    assertAllowed(equalAssets(transaction.mint, nft), "it mints another token than the vault's NFT");
    requireAssetsGained(request, [vault.custody], nft);
    requireOperatorGainsNothing(request);
    assertAllowed(vaultNamedIn(request, policyId, nftNameHex) === vaultId, 'its metadata name another vault');
    assertAllowed(termsIn(transaction, policyKeyHash) === terms, 'it commits to other terms');
  },
};

/** The vault that the NFT's metadata (CIP-25) name. */
function vaultNamedIn({ transaction: { metadata } }: SigningRequest, policyId: string, nameHex: string): unknown {
  const tokens = mapAt(mapAt(metadata, 721), policyId);
  return mapAt(tokens, Buffer.from(nameHex, 'hex').toString())?.get('vault');
}

function mapAt(map: CborMap | null, key: string | number): CborMap | null {
  const value = map?.get(key);
  return value instanceof Map ? (value as CborMap) : null;
}
