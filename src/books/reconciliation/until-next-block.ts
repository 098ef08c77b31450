import { setTimeout as pause } from 'node:timers/promises';
import { followedTip } from '../../ledger-follower/queries/blocks.ts';
import type { Db } from '../../platform/database/database.ts';

const POLL_MS = 250;

/** Resolves when another block was followed, and after `maxMs` in any case: the follower may have stopped. */
export async function untilNextBlock(db: Db, maxMs: number): Promise<void> {
  const before = await followedTip(db);
  for (let waitedMs = 0; waitedMs < maxMs; waitedMs += POLL_MS) {
    await pause(POLL_MS);
    if ((await followedTip(db))?.hash !== before?.hash) return;
  }
}
