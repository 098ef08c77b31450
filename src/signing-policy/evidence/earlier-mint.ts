import type { Ledger } from '../../cardano/ledger/ledger.ts';
import { scriptHash } from '../../cardano/scripts/native-script.ts';
import { policyScript } from '../../cardano/scripts/vault-scripts.ts';
import { creationLabel } from '../../cardano/tokens/vault-nft.ts';
import { ServiceError } from '../../platform/errors.ts';
import { mapInBatches } from '../../platform/async.ts';
import { decodeMint, readUntrusted } from '../decoder.ts';
import type { KeyHash } from '../../cardano/transaction.ts';

/** What the ledger is asked of the history of an address. */
export type History = Pick<Ledger, 'addressTransactions' | 'transactionCbor'>;
/** What the ledger is asked of the creation of a vault. */
export type Labelled = Pick<Ledger, 'metadataOf' | 'transactionCbor'>;
type Bytes = Pick<Ledger, 'transactionCbor'>;
/** What a transaction mints; null when its bytes cannot be read. */
type Minted = ReturnType<typeof decodeMint> | null;

const READ_AT_ONCE = 10;
/** Of a process: some 20 MB. */
const MAX_REMEMBERED = 100_000;

/** What was read already, because it never changes: strangers can send more to the address than one activity has the time to read. */
const remembered = new WeakMap<Bytes, Map<string, Minted>>();

/** A transaction on the ledger that minted under a policy of the vault and paid an address of it; null when there is none. */
export function findEarlierMint(
  ledger: History,
  { address, policyKeyHash }: { readonly address: string; readonly policyKeyHash: KeyHash },
): Promise<string | null> {
  return findMint(ledger, ledger.addressTransactions(address), policyKeyHash);
}

/**
 * The first transaction on the ledger that has created the vault of a policy key, wherever it has brought the vault's NFT; null when there is
 * none.
 */
export function findCreation(ledger: Labelled, policyKeyHash: KeyHash): Promise<string | null> {
  return findMint(ledger, ledger.metadataOf(creationLabel(policyKeyHash)), policyKeyHash);
}

/** The first listed transaction that minted under a policy of the vault. After an error the next call continues with what is not read yet. */
async function findMint(
  ledger: Bytes,
  listed: AsyncIterable<{ readonly txHash: string }>,
  policyKeyHash: KeyHash,
): Promise<string | null> {
  const hashes: string[] = [];
  for await (const { txHash } of listed) hashes.push(txHash);
  const mints = remembered.get(ledger) ?? new Map<string, Minted>();
  remembered.set(ledger, mints);
  if (mints.size > MAX_REMEMBERED) mints.clear();
  const isOurs = (minted: Minted | undefined) =>
    minted?.policies.includes(policyOf(policyKeyHash, minted.ttlSlot)) === true;
  await mapInBatches(
    hashes.filter((hash) => !mints.has(hash)),
    READ_AT_ONCE,
    async (hash) => mints.set(hash, await mintedBy(ledger, hash)),
  );
  return hashes.find((hash) => isOurs(mints.get(hash))) ?? null;
}

async function mintedBy(ledger: Bytes, hash: string): Promise<Minted> {
  const bytes = await ledger.transactionCbor(hash);
  if (bytes === null)
    throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `the bytes of transaction ${hash} are missing` });
  return readUntrusted(bytes, decodeMint);
}

function policyOf(policyKeyHash: string, deadlineSlot: number | null): string {
  return scriptHash(policyScript({ policyKeyHash, deadlineSlot: deadlineSlot ?? 0 }));
}
