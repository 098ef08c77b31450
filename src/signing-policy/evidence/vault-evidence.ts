import { policyScript } from '../../cardano/scripts/vault-scripts.ts';
import { scriptHash } from '../../cardano/scripts/native-script.ts';
import { isFractional } from '../../cardano/tokens/fractional-token.ts';
import { policyOf } from '../../assets/rules/unit.ts';
import { requireJust } from '../judged.ts';
import type { OfSettledVault, OfVault } from '../evidence.ts';
import { placesOf, type VaultPlaces } from '../places.ts';
import type { KeyHash, Unit } from '../../cardano/transaction.ts';
import type { ChainTransaction } from '../../transactions/queries/chain-transactions.ts';
import { keyIndexesOf } from '../../vaults/queries/vault-keys.ts';
import { getVault, type Vault } from '../../vaults/queries/vaults.ts';
import type { EvidenceContext } from './evidence-context.ts';
import { requireOwnKeys } from './own-keys.ts';

/** A vault, and where its value lies by its own keys. */
export type VaultEvidence = OfVault & { readonly row: Vault; readonly keyHashes: readonly KeyHash[] };

/** A vault with its token. */
export type SettledVault = OfSettledVault & VaultEvidence;

export type VaultContext = Pick<EvidenceContext, 'db' | 'ledger' | 'keys' | 'networkId'>;

/** Reads the vault of a transaction. Its addresses are derived from its keys again: a row with others, or with those of another vault, justifies nothing. */
export async function gatherVault(
  { db, ledger, keys, networkId }: VaultContext,
  { vaultId }: Pick<ChainTransaction, 'vaultId'>,
): Promise<VaultEvidence> {
  requireJust(vaultId !== null, 'it names no vault');
  const row = await getVault(db, vaultId);
  const { vaultKeyHash, policyKeyHash, settlementKeyHash, formerCustodies, cosigners, settlesBySlot } = row;
  const named = [
    vaultKeyHash,
    policyKeyHash,
    settlementKeyHash,
    ...formerCustodies.map((former) => former.vaultKeyHash),
  ];
  const indexes = await keyIndexesOf(db, vaultId, named);
  const keyHashes = indexes.flatMap((index) => [keys.vaultKey(index).keyHash, keys.policyKey(index).keyHash]);
  requireJust(
    named.every((key) => keyHashes.includes(key)),
    "its vault has keys that are not the platform's",
  );
  const isOne = (index: number) =>
    keys.vaultKey(index).keyHash === settlementKeyHash && keys.policyKey(index).keyHash === policyKeyHash;
  const first = indexes.find(isOne);
  requireJust(first !== undefined, 'the keys of its settlement and of its policies are of different vaults');
  await requireOwnKeys(
    { ledger, keys, networkId },
    indexes.filter((index) => index !== first),
  );
  const vault = placesOf(
    { vaultKeyHash, policyKeyHash, settlementKeyHash, formerCustodies, cosigners, settlesBySlot },
    networkId,
  );
  requireJust(row.contractAddress === vault.custody, "its vault's keys have another custody");
  return { row, vault, keyHashes };
}

/** Whether a unit is the fractional token of the policy that ended with a mint: as the reference token, of which there is one, each share would be the whole pot. */
export function isMintedBy(
  { policyKeyHash }: Pick<VaultPlaces, 'policyKeyHash'>,
  ftUnit: Unit,
  { ttlSlot: deadlineSlot }: Pick<ChainTransaction, 'ttlSlot'>,
): boolean {
  return isFractional(ftUnit) && policyOf(ftUnit) === scriptHash(policyScript({ policyKeyHash, deadlineSlot }));
}
