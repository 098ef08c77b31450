import type { Ledger } from '../../../chain/ledger/ledger.ts';
import { scriptHash } from '../../../chain/scripts/native-script.ts';
import { policyScript } from '../../../chain/scripts/vault-scripts.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { mapInBatches } from '../../../domain/map-in-batches.ts';
import { decodeMint } from '../../../justification/decode-transaction.ts';
import type { KeyHash } from '../../../chain/transaction.ts';
import { readUntrusted } from '../read-untrusted.ts';

/** What the ledger is asked of the history of an address. */
export type History = Pick<Ledger, 'addressTransactions' | 'transactionCbor'>;
/** What a transaction mints; null when its bytes cannot be read. */
type Minted = ReturnType<typeof decodeMint> | null;

const READ_AT_ONCE = 10;
/** Of a process: some 20 MB. */
const MAX_REMEMBERED = 100_000;

/** What was read already, because it never changes: strangers can send more to the address than one activity has the time to read. */
const remembered = new WeakMap<History, Map<string, Minted>>();

/**
 * A transaction on the ledger that minted under a policy of the vault and paid an address of it; null when there is none. After an error the
 * next call goes on with what is not read yet. Throws LEDGER_UNAVAILABLE.
 */
export async function findEarlierMint(
  ledger: History,
  { address, policyKeyHash }: { readonly address: string; readonly policyKeyHash: KeyHash },
): Promise<string | null> {
  const hashes: string[] = [];
  for await (const { txHash } of ledger.addressTransactions(address)) hashes.push(txHash);
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

async function mintedBy(ledger: History, hash: string): Promise<Minted> {
  const bytes = await ledger.transactionCbor(hash);
  if (bytes === null)
    throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `the bytes of transaction ${hash} are missing` });
  return readUntrusted(bytes, decodeMint);
}

function policyOf(policyKeyHash: string, deadlineSlot: number | null): string {
  return scriptHash(policyScript({ policyKeyHash, deadlineSlot: deadlineSlot ?? 0 }));
}
