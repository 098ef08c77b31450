import { blake2b256 } from '../../cardano/blake2b.ts';
import { type Inclusion, verifyInclusion } from '../../anchoring/rules/merkle.ts';
import { ServiceError } from '../../platform/errors.ts';
import { decodeTransaction } from '../decoder.ts';
import type { AnchoredFact } from '../evidence.ts';
import { anchoredBatchOf, assertAllowed } from '../policy.ts';
import { findAnchoredFact } from '../../anchoring/queries/anchor-batches.ts';
import type { EvidenceContext } from './vault.ts';

/**
 * A fact that is under a Merkle root on the ledger. Throws TRANSACTION_NOT_JUSTIFIED for one that was never anchored, and
 * LEDGER_UNAVAILABLE while its anchor is in no block.
 */
export async function anchoredFact({ db, ledger, batchPaths }: EvidenceContext, factId: string): Promise<AnchoredFact> {
  const found = await findAnchoredFact(db, factId);
  assertAllowed(found !== null, 'what it rests on was never anchored');
  const { hash } = found.transaction;
  const [path, bytes, confirmation] = await Promise.all([
    batchPaths(found),
    ledger.transactionCbor(hash),
    ledger.transaction(hash),
  ]);
  const block = confirmation && (await ledger.block(confirmation.blockHash));
  if (bytes === null || !block)
    throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `the anchor ${hash} is in no block yet` });
  assertAllowed(isUnderRoot({ fact: found.text, path }, { hash, bytes }), `transaction ${hash} does not anchor it`);
  return { fact: JSON.parse(found.text) as AnchoredFact['fact'], slot: block.slot };
}

/** Whether a fact is under the root that a transaction records, by the bytes that its hash proves. */
export function isUnderRoot(
  fact: Omit<Inclusion, 'root'>,
  { hash, bytes }: { readonly hash: string; readonly bytes: string },
): boolean {
  const transaction = decodeTransaction(bytes);
  const root = transaction.hash === hash ? anchoredBatchOf(transaction)?.root : null;
  return typeof root === 'string' && verifyInclusion(blake2b256, { ...fact, root });
}
