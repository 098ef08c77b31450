import { findAnchoredBatch } from '../../anchoring/queries/anchor-batches.ts';
import { policyOf } from '../../assets/rules/asset.ts';
import type { NetworkState } from '../../cardano/ledger/network-state.ts';
import { scriptAddress } from '../../cardano/scripts/address.ts';
import { scriptHash } from '../../cardano/scripts/native-script.ts';
import { policyScript, settlementScript } from '../../cardano/scripts/vault-scripts.ts';
import { isFractional } from '../../cardano/tokens/fractional-token.ts';
import type { KeyHash, Unit } from '../../cardano/transaction.ts';
import type { OfSettledVault, OfVault, EvidenceByKind } from '../evidence.ts';
import { findEarlierMint, type History } from './earlier-mint.ts';
import { vaultAddressesOf, type VaultAddresses } from '../addresses.ts';
import { assertAllowed } from '../policy.ts';
import type { ChainTransaction } from '../../transactions/queries/transactions.ts';
import type { TransactionKind } from '../../transactions/rules.ts';
import { keyIndexesOf, getVault, type Vault } from '../../vaults/queries/vaults.ts';
import type { WorkerContext } from '../../worker-context.ts';

/** A vault, and where its value lies by its own keys. */
export type VaultEvidence = OfVault & { readonly row: Vault; readonly keyHashes: readonly KeyHash[] };

/** A vault with its token. */
export type SettledVault = OfSettledVault & VaultEvidence;

export type VaultContext = Pick<EvidenceContext, 'db' | 'ledger' | 'keys' | 'networkId'>;

/** Reads the vault of a transaction. Its addresses are derived from its keys again: a row with others, or with those of another vault, is refused. */
export async function gatherVault(
  { db, ledger, keys, networkId }: VaultContext,
  { vaultId }: Pick<ChainTransaction, 'vaultId'>,
): Promise<VaultEvidence> {
  assertAllowed(vaultId !== null, 'it names no vault');
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
  assertAllowed(
    named.every((key) => keyHashes.includes(key)),
    "its vault has keys that are not the platform's",
  );
  const isOne = (index: number) =>
    keys.vaultKey(index).keyHash === settlementKeyHash && keys.policyKey(index).keyHash === policyKeyHash;
  const first = indexes.find(isOne);
  assertAllowed(first !== undefined, 'the keys of its settlement and of its policies are of different vaults');
  await requireOwnKeys(
    { ledger, keys, networkId },
    indexes.filter((index) => index !== first),
  );
  const vault = vaultAddressesOf(
    { vaultKeyHash, policyKeyHash, settlementKeyHash, formerCustodies, cosigners, settlesBySlot },
    networkId,
  );
  assertAllowed(row.contractAddress === vault.custody, "its vault's keys have another custody");
  return { row, vault, keyHashes };
}

/** Whether a unit is the fractional token of the policy that ended with a mint: as the reference token, of which there is one, each share would be the whole pot. */
export function isMintedBy(
  { policyKeyHash }: Pick<VaultAddresses, 'policyKeyHash'>,
  ftUnit: Unit,
  { ttlSlot: deadlineSlot }: Pick<ChainTransaction, 'ttlSlot'>,
): boolean {
  return isFractional(ftUnit) && policyOf(ftUnit) === scriptHash(policyScript({ policyKeyHash, deadlineSlot }));
}

interface Context extends Pick<EvidenceContext, 'keys' | 'networkId'> {
  readonly ledger: History;
}

/**
 * Throws TRANSACTION_NOT_JUSTIFIED when a key that a vault has by a rotation is the first one of another vault, whose tokens the ledger says were
 * minted with it: a rotation goes to a key that nothing had.
 */
export async function requireOwnKeys({ ledger, keys, networkId }: Context, rotated: readonly number[]): Promise<void> {
  for (const index of rotated) {
    const { keyHash: vaultKeyHash } = keys.vaultKey(index);
    const { keyHash: policyKeyHash } = keys.policyKey(index);
    const address = scriptAddress(settlementScript({ vaultKeyHash }), networkId);
    const mint = await findEarlierMint(ledger, { address, policyKeyHash });
    assertAllowed(mint === null, `transaction ${mint} has minted the tokens of another vault with one of its keys`);
  }
}

export const gatherAnchor: Gather<'anchor'> = async ({ db }, recorded) => {
  const batch = await findAnchoredBatch(db, recorded.id);
  assertAllowed(batch !== null, 'it carries no batch');
  return batch;
};

/** What the operator pays to itself, or never signs, needs nothing. */
export const gatherNothing = (): Promise<object> => Promise.resolve({});

/** What evidence is gathered with. */
export type EvidenceContext = Pick<
  WorkerContext,
  | 'db'
  | 'ledger'
  | 'keys'
  | 'networkId'
  | 'networkState'
  | 'liquidityAddress'
  | 'operatorDeposits'
  | 'batchPaths'
  | 'durationBounds'
  | 'priceSource'
>;

/** Reads the evidence for a transaction of a kind. */
export type Gather<Kind extends TransactionKind> = (
  context: EvidenceContext,
  recorded: ChainTransaction,
) => Promise<EvidenceByKind[Kind]>;

/** The ledger's clock and that of who counts a duration differ by less. */
const CLOCK_SKEW_SECONDS = 3_600;

/** The first slot in which so many seconds after another one may be over. */
export function slotsAfter({ anchor }: Pick<NetworkState, 'anchor'>, slot: number, seconds: number): number {
  return slot + Math.floor(((seconds - CLOCK_SKEW_SECONDS) * 1000) / anchor.slotLengthMs);
}
