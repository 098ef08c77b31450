import type { PathStep } from '../../domain/anchor/merkle.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Caller } from '../../domain/identity/caller.ts';
import { replacedAnchors } from '../../store/anchor-batches.ts';
import { type AnchoredFactLookup, findAnchoredFact } from '../../store/anchor-facts.ts';
import type { ServiceContext } from '../context.ts';
import { mayVerifyFacts } from '../vaults/vault-access.ts';

/** An anchored fact with its path to the Merkle root on the ledger. */
export interface AnchorProof extends AnchoredFactLookup {
  /** From the leaf to the root. */
  readonly path: readonly PathStep[];
  /** Hashes of earlier transactions that were to carry the root, oldest first. */
  readonly replaced: readonly string[];
}

/** The inclusion proof of an anchored fact. Throws ANCHOR_NOT_FOUND also when the caller may not read its vault. */
export async function readAnchorProof(
  { db, batchPaths }: Pick<ServiceContext, 'db' | 'batchPaths'>,
  caller: Caller,
  factId: string,
): Promise<AnchorProof> {
  const fact = await findAnchoredFact(db, factId);
  if (!fact || (fact.vaultId !== null && !(await mayVerifyFacts({ db }, caller, fact.vaultId)))) {
    throw new ServiceError('ANCHOR_NOT_FOUND');
  }
  const [path, replaced] = await Promise.all([
    batchPaths(fact.batchId, fact.position),
    replacedAnchors(db, fact.batchId, fact.transaction.id),
  ]);
  return { ...fact, path, replaced };
}
