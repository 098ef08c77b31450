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
  type Judged,
  requireJust,
  lifetime,
  type Rule,
} from '../policy.ts';
import { lackingLovelace } from '../min-ada.ts';

/**
 * The operator pays for one NFT of the vault's own policy, which goes to its custody and names the vault. A vault is created once: its mint
 * is judged by where that was, and by the terms to which it commits.
 */
export const createVault: Rule<CreationEvidence> = {
  keys: ['operator', 'policy'],
  mayCarry: ['mint', 'metadata'],
  lifetimeSeconds: lifetime.prepared,
  operatorPays: lackingLovelace,
  judge(judged, { vault, vaultId, nftNameHex, terms, earlierCreation }) {
    const { transaction, operator } = judged;
    requireJust(earlierCreation === null, `transaction ${earlierCreation} has created this vault`);
    requireInputsAt(judged, [operator]);
    requireOutputsAt(judged, [operator, vault.custody]);
    const { policyKeyHash } = vault;
    const policyId = scriptHash(policyScript({ policyKeyHash, deadlineSlot: transaction.ttlSlot ?? 0 }));
    const nft = new Map([[policyId + nftNameHex, 1n]]);
    requireJust(equalAssets(transaction.mint, nft), "it mints another token than the vault's NFT");
    requireAssetsGained(judged, [vault.custody], nft);
    requireOperatorGainsNothing(judged);
    requireJust(vaultNamedIn(judged, policyId, nftNameHex) === vaultId, 'its metadata name another vault');
    requireJust(termsIn(transaction, policyKeyHash) === terms, 'it commits to other terms');
  },
};

/** The vault that the NFT's metadata (CIP-25) name. */
function vaultNamedIn({ transaction: { metadata } }: Judged, policyId: string, nameHex: string): unknown {
  const tokens = mapAt(mapAt(metadata, 721), policyId);
  return mapAt(tokens, Buffer.from(nameHex, 'hex').toString())?.get('vault');
}

function mapAt(map: CborMap | null, key: string | number): CborMap | null {
  const value = map?.get(key);
  return value instanceof Map ? (value as CborMap) : null;
}
