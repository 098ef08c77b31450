import type { Transaction } from '../platform/database/database.ts';
import { type Fence, takeFenceSoon, tryFences } from '../platform/database/fences.ts';
import { lockFreeStakes } from '../votes/queries/stake-uses.ts';

/** The locks of a write, held until its transaction ends. */
export interface WriteLocks {
  readonly fence: Fence;
  readonly side: 'shared' | 'closed';
  /** The wallet whose stakes it changes; null when it changes no stakes. */
  readonly stakesOf: { readonly vaultId: string; readonly wallet: string } | null;
}

/** How long all fences together are waited for, in milliseconds. */
const PATIENCE_MS = 1000;

/**
 * Takes the fences of several writes until the transaction ends; returns those that it could not take, because somebody else holds them.
 * It waits for them in line, or who takes a fence again and again would keep these writes out; but not for long: a process that froze with
 * a fence must delay only the writes that need that one.
 */
export async function takeFences(tx: Transaction, locks: readonly WriteLocks[]): Promise<ReadonlySet<Fence>> {
  const ofSide = (wanted: WriteLocks['side']) =>
    new Set(locks.flatMap(({ fence, side }) => (side === wanted ? [fence] : [])));
  const closed = ofSide('closed');
  const shared = [...ofSide('shared').difference(closed)];
  if (shared.length + closed.size === 0) return new Set();
  const busy = new Set<Fence>();
  const givesUpAt = performance.now() + PATIENCE_MS;
  for (const fence of await tryFences(tx, { shared, closed: [...closed] })) {
    const side = closed.has(fence) ? 'closed' : 'shared';
    if (performance.now() >= givesUpAt || !(await takeFenceSoon(tx, fence, side))) busy.add(fence);
  }
  return busy;
}

/**
 * Locks the stakes of several writes, in the order that every transaction keeps: after its fences, by id. Returns the wallets of which
 * somebody else holds a stake.
 */
export async function lockStakesOf(tx: Transaction, locks: readonly WriteLocks[]): Promise<ReadonlySet<string>> {
  const stakers = locks.flatMap(({ stakesOf }) => stakesOf ?? []);
  const vaultIds = [...new Set(stakers.map(({ vaultId }) => vaultId))];
  const wallets = [...new Set(stakers.map(({ wallet }) => wallet))];
  return lockFreeStakes(tx, { vaultIds, wallets });
}
