import type { Transaction } from './database.ts';
import { closeFence, type Fence, shareFence } from './fences.ts';
import { lockStakesOfWallets } from './stake-uses.ts';

/** The locks of a write, held until its transaction ends. */
export interface WriteLocks {
  readonly fence: Fence;
  readonly side: 'shared' | 'closed';
  /** The wallet whose stakes it changes; null when it changes no stakes. */
  readonly stakesOf: { readonly vaultId: string; readonly wallet: string } | null;
}

/** Takes the locks of several writes in the order that every transaction keeps: fences by name, then stakes by id. */
export async function acquireWriteLocks(tx: Transaction, locks: readonly WriteLocks[]): Promise<void> {
  const closed = new Set(locks.flatMap(({ fence, side }) => (side === 'closed' ? [fence] : [])));
  for (const fence of [...new Set(locks.map(({ fence }) => fence))].sort()) {
    await (closed.has(fence) ? closeFence : shareFence)(tx, fence);
  }
  const stakers = locks.flatMap(({ stakesOf }) => stakesOf ?? []);
  const vaultIds = [...new Set(stakers.map(({ vaultId }) => vaultId))];
  const wallets = [...new Set(stakers.map(({ wallet }) => wallet))];
  await lockStakesOfWallets(tx, { vaultIds, wallets });
}
