import type { Instant } from '../platform/units/instant.ts';
import type { Db } from '../platform/database/database.ts';
import { type BatchKind, type OpenBatch, openBatches } from './queries/open-batches.ts';
import type { NextBatch } from '../platform/temporal/activity-types.ts';

/** A block of the ledger holds five transactions of full size, and its mempool two blocks. */
const BATCHES_IN_FLIGHT = 5;

/**
 * What to do before another batch is built: send one that was recorded and not sent, or wait for those that were sent; null when
 * another may be sent beside them.
 */
export async function batchBefore(
  db: Db,
  { vaultId, kind, now }: { vaultId: string; kind: BatchKind; now: Instant },
): Promise<{ readonly open: readonly OpenBatch[]; readonly next: NextBatch | null }> {
  const open = await openBatches(db, vaultId, kind);
  const unsent = open.find(({ state, expiresAt }) => state === 'pending' && now < expiresAt);
  if (unsent) return { open, next: { kind: 'send', transactionId: unsent.id } };
  // The next delivery spends an output of the last, so what may never land is waited for. Refunds are independent.
  const isDoubtful = kind === 'deliver' && open.some(({ refusal, expiresAt }) => refusal !== null || expiresAt <= now);
  return { open, next: open.length >= BATCHES_IN_FLIGHT || isDoubtful ? waitFor(open) : null };
}

/** Nothing is left to build: done, once nothing is under way. */
export function waitFor([first]: readonly OpenBatch[]): NextBatch {
  return first ? { kind: 'wait', transactionId: first.id } : { kind: 'done' };
}
