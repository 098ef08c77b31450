import { setTimeout as pause } from 'node:timers/promises';
import type { Ledger } from '../cardano/ledger/ledger.ts';
import type { Instant } from '../platform/units/instant.ts';
import { followedTip } from './queries/blocks.ts';
import { readLedgerHold } from './queries/ledger-hold.ts';
import type { WorkerContext } from '../worker-context.ts';

/** A ledger that does not respond leaves only its own figure out. */
const LEDGER_MS = 2_000;

/** How far the ledger is followed. */
export interface Following {
  /** Blocks of the ledger that are not followed yet; null when the ledger does not respond. */
  readonly lagBlocks: number | null;
  /** Age of the last followed block; null before the first. */
  readonly lagSeconds: number | null;
  /** Whether an operator has to accept another history first. */
  readonly isHeld: boolean;
}

export async function readFollowing({
  follower: { db },
  ledger,
  readingTime,
}: Pick<WorkerContext, 'follower' | 'ledger' | 'readingTime'>): Promise<Following> {
  const [tip, hold, height, now] = await Promise.all([
    followedTip(db),
    readLedgerHold(db),
    ledgerHeight(ledger),
    readingTime(),
  ]);
  return {
    lagBlocks: tip && height !== null ? Math.max(0, height - tip.height) : null,
    lagSeconds: tip && secondsBetween(tip.time, now),
    isHeld: hold !== null,
  };
}

async function ledgerHeight(ledger: Ledger): Promise<number | null> {
  const latest = ledger.latestBlock().then(
    ({ height }) => height,
    () => null,
  );
  return Promise.race([latest, pause(LEDGER_MS, null, { ref: false })]);
}

function secondsBetween(from: Instant, to: Instant): number {
  return Math.max(0, (to - from) / 1000);
}
