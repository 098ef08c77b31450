import { scriptHash } from '../../../chain/scripts/native-script.ts';
import { policyScript } from '../../../chain/scripts/vault-scripts.ts';
import { ftNameHex, referenceNameHex, tokenNameHex } from '../../../chain/tokens/fractional-token.ts';
import { vaultNftNameHex } from '../../../chain/tokens/vault-nft.ts';
import { decodeMint } from '../../../justification/decode-transaction.ts';
import type { VaultPlaces } from '../../../justification/places.ts';
import type { EvidenceContext, Gather } from './evidence-context.ts';
import { readForeign } from './read-foreign.ts';
import { gatherVault } from './vault-evidence.ts';

export const gatherCreation: Gather<'create_vault'> = async (context, recorded) => {
  const { row, vault } = await gatherVault(context, recorded);
  return { vault, vaultId: row.id, nftNameHex: vaultNftNameHex(row.name) };
};

export const gatherMint: Gather<'mint'> = async (context, recorded) => {
  const { row, vault } = await gatherVault(context, recorded);
  const nameHex = tokenNameHex(row.name);
  return {
    vault,
    ftName: ftNameHex(nameHex),
    referenceName: referenceNameHex(nameHex),
    supply: row.terms.ftSupply,
    decimals: row.terms.ftDecimals,
    earlierMint: await findMint(context, vault),
  };
};

/** A transaction on the ledger that minted under a policy of the vault and paid its settlement; null when there is none. */
async function findMint({ ledger }: EvidenceContext, vault: VaultPlaces): Promise<string | null> {
  for await (const { txHash } of ledger.addressTransactions(vault.settlement)) {
    const minted = readForeign(await ledger.transactionCbor(txHash), decodeMint);
    if (minted?.policies.includes(policyOf(vault, minted.ttlSlot))) return txHash;
  }
  return null;
}

function policyOf({ policyKeyHash }: VaultPlaces, deadlineSlot: number | null): string {
  return scriptHash(policyScript({ policyKeyHash, deadlineSlot: deadlineSlot ?? 0 }));
}
