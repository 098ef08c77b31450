import { buildBalanced, type Payer } from './funding.ts';
import { type NativeScript, scriptHash } from '../scripts/native-script.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import { creationLabel, type VaultNft, vaultNftMetadata } from '../tokens/vault-nft.ts';
import type { BuiltTransaction, KeyHash } from '../transaction.ts';
import { smallestOutput } from './outputs.ts';

export interface VaultNftMint {
  readonly operator: Payer;
  /** The vault's custody address. */
  readonly contractAddress: string;
  readonly policy: NativeScript;
  readonly policyKeyHash: KeyHash;
  readonly nft: Omit<VaultNft, 'policyId'>;
  /** The leaf of the vault's terms, in hex. */
  readonly terms: string;
  /** At most the policy's deadline. */
  readonly ttlSlot: number;
}

/** Mints the vault's NFT to its custody address (output 0), and commits to its terms; the operator pays. Throws INSUFFICIENT_FUNDS. */
export function buildVaultNftMint({ parameters }: ChainContext, input: VaultNftMint): BuiltTransaction {
  const { nft, policy, policyKeyHash, terms } = input;
  const policyId = scriptHash(policy);
  const assets = new Map([[policyId + nft.nameHex, 1n]]);
  return buildBalanced(parameters, input.operator, {
    outputs: [smallestOutput(parameters, { address: input.contractAddress, assets })],
    mint: { policy: policy, quantities: new Map([[nft.nameHex, 1n]]) },
    metadata: { ...vaultNftMetadata({ ...nft, policyId }), [creationLabel(policyKeyHash)]: { v: 1, terms } },
    ttlSlot: input.ttlSlot,
    cosigners: [policyKeyHash],
  });
}
