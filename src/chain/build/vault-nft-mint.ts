import { buildBalanced, type Payer } from './funding.ts';
import { type NativeScript, scriptHash } from '../scripts/native-script.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import { type VaultNft, vaultNftMetadata } from '../tokens/vault-nft.ts';
import type { BuiltTransaction, KeyHash } from '../transaction.ts';
import { smallestOutput } from './outputs.ts';

export interface VaultNftMint {
  readonly operator: Payer;
  /** The vault's custody address. */
  readonly contractAddress: string;
  readonly policy: NativeScript;
  readonly policyKeyHash: KeyHash;
  readonly nft: Omit<VaultNft, 'policyId'>;
  /** At most the policy's deadline. */
  readonly ttlSlot: number;
}

/** Mints the vault's NFT to its custody address (output 0); the operator pays. Throws INSUFFICIENT_FUNDS. */
export function buildVaultNftMint({ parameters }: ChainContext, input: VaultNftMint): BuiltTransaction {
  const { nft, policy } = input;
  const policyId = scriptHash(policy);
  const assets = new Map([[policyId + nft.nameHex, 1n]]);
  return buildBalanced(parameters, input.operator, {
    outputs: [smallestOutput(parameters, { address: input.contractAddress, assets })],
    mint: { policy: policy, quantities: new Map([[nft.nameHex, 1n]]) },
    metadata: vaultNftMetadata({ ...nft, policyId }),
    ttlSlot: input.ttlSlot,
    cosigners: [input.policyKeyHash],
  });
}
