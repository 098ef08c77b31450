import type { PathStep } from './rules/merkle.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Caller } from '../access/rules.ts';
import { findVisibleFact, type VisibleFact } from './queries/anchor-batches.ts';
import type { ServiceContext } from '../context.ts';
import { readerScope } from '../vaults/require-vault.ts';

/** An anchored fact with its path to the Merkle root on the ledger. */
export interface AnchorProof extends VisibleFact {
  /** From the leaf to the root. */
  readonly path: readonly PathStep[];
}

/** The inclusion proof of an anchored fact. */
export async function readAnchorProof(
  { db, batchPaths }: Pick<ServiceContext, 'db' | 'batchPaths'>,
  caller: Caller,
  factId: string,
): Promise<AnchorProof> {
  const fact = await findVisibleFact(db, factId, readerScope(caller));
  if (!fact) throw new ServiceError('ANCHOR_NOT_FOUND');
  return { ...fact, path: await batchPaths(fact) };
}
