import { blake2b256 } from '../blake2b.ts';
import { buildVaultNftMint } from './vault-nft-mint.ts';
import type { Payer } from './funding.ts';
import { policyScript } from '../scripts/vault-scripts.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import { vaultNftNameHex } from '../tokens/vault-nft.ts';
import { commitmentToCreation, type CreationTerms } from '../../settlement/rules/plan-commitment.ts';
import type { BuiltTransaction, KeyHash } from '../transaction.ts';

/** What its creation records of a new vault. */
export interface VaultIdentity {
  readonly id: string;
  readonly name: string;
  readonly terms: CreationTerms & { readonly type: string; readonly valuationType: string };
  readonly contractAddress: string;
  readonly policyKeyHash: KeyHash;
}

/** Builds the transaction that creates a vault on the ledger: it mints the vault's NFT to the custody address under a policy that ends with it, paid by the operator. Throws INSUFFICIENT_FUNDS. */
export function buildVaultCreation(
  context: ChainContext,
  vault: VaultIdentity,
  { operator, image, ttlSlot }: { operator: Payer; image: string; ttlSlot: number },
): BuiltTransaction {
  const { id, name, terms, policyKeyHash } = vault;
  return buildVaultNftMint(context, {
    operator,
    contractAddress: vault.contractAddress,
    policy: policyScript({ policyKeyHash, deadlineSlot: ttlSlot }),
    policyKeyHash,
    nft: {
      name,
      nameHex: vaultNftNameHex(name),
      image,
      properties: { vault: id, type: terms.type, valuation: terms.valuationType },
    },
    terms: commitmentToCreation(blake2b256, terms),
    ttlSlot,
  });
}
