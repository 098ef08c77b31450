import { buildVaultNftMint } from './vault-nft-mint.ts';
import type { Payer } from './funding.ts';
import { policyScript } from '../scripts/vault-scripts.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import { vaultNftNameHex } from '../tokens/vault-nft.ts';
import type { BuiltTransaction, KeyHash, Unit } from '../transaction.ts';

/** What the vault's NFT records of a new vault. */
export interface VaultIdentity {
  readonly id: string;
  readonly name: string;
  readonly terms: { readonly type: string; readonly valuationType: string };
  readonly contractAddress: string;
  readonly policyKeyHash: KeyHash;
  readonly ftUnit: Unit;
  /** Slot of T. */
  readonly settlesBySlot: number;
}

/** Builds the transaction that creates a vault on the ledger: it mints the vault's NFT to the custody address, paid by the operator. Throws INSUFFICIENT_FUNDS. */
export function buildVaultCreation(
  context: ChainContext,
  vault: VaultIdentity,
  operator: Payer,
  ttlSlot: number,
): BuiltTransaction {
  const { id, name, terms, policyKeyHash } = vault;
  return buildVaultNftMint(context, {
    operator,
    contractAddress: vault.contractAddress,
    policy: policyScript({ policyKeyHash, deadlineSlot: vault.settlesBySlot }),
    policyKeyHash,
    nft: {
      name,
      nameHex: vaultNftNameHex(name),
      properties: { vault: id, type: terms.type, valuation: terms.valuationType, token: vault.ftUnit },
    },
    ttlSlot,
  });
}
