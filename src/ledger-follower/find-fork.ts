import type { Ledger } from '../cardano/ledger/ledger.ts';
import type { Block } from '../cardano/ledger/responses.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { blocksUpTo, type FollowedBlock } from './queries/blocks.ts';
import type { WorkerContext } from '../worker-context.ts';

export interface Fork {
  /** The newest recorded block that the ledger still has; null when it has none of them. */
  readonly block: FollowedBlock | null;
  /** Height of the ledger's own tip. */
  readonly ledgerHeight: number;
}

/**
 * Where the ledger's history leaves the recorded one. A backend that lags behind does not know the tip either, so the ledger has to
 * have another block in its place, and a chain from the fork on (design D45). Throws LEDGER_UNAVAILABLE when its answers do not
 * fit together.
 */
export async function findFork({ db, ledger }: Pick<WorkerContext, 'db' | 'ledger'>): Promise<Fork> {
  const { height: ledgerHeight } = await ledger.latestBlock();
  const recorded = await blocksUpTo(db, ledgerHeight);
  const newest = recorded.at(-1);
  if (!newest) return { block: null, ledgerHeight };
  if (await isOnLedger(ledger, newest)) throw unclear(`block ${newest.hash} is on the ledger, and nothing follows it`);
  // Every block before one that is on the ledger is on it too.
  let [common, other] = [-1, recorded.length - 1];
  while (other - common > 1) {
    const middle = Math.floor((common + other) / 2);
    const block = recorded[middle];
    if (block && (await isOnLedger(ledger, block))) common = middle;
    else other = middle;
  }
  const block = recorded[common] ?? null;
  if (block) await requireOtherChain(ledger, block, recorded[other]);
  return { block, ledgerHeight };
}

async function requireOtherChain(
  ledger: Ledger,
  { hash, height }: FollowedBlock,
  replaced: FollowedBlock | undefined,
): Promise<void> {
  const next = (await ledger.nextBlocks(hash))?.at(0);
  if (next?.previousHash !== hash || next.height !== height + 1 || next.hash === replaced?.hash)
    throw unclear(`no other block follows block ${hash}`);
}

async function isOnLedger(ledger: Ledger, { height, hash }: FollowedBlock): Promise<boolean> {
  return (await blockAt(ledger, height)).hash === hash;
}

/** The ledger's block at a height. Throws LEDGER_UNAVAILABLE when it has none. */
export async function blockAt(ledger: Ledger, height: number): Promise<Block> {
  const block = await ledger.block(height);
  if (block?.height !== height) throw unclear(`no block at height ${height}`);
  return block;
}

export function unclear(reason: string): ServiceError {
  return new ServiceError('LEDGER_UNAVAILABLE', { reason });
}
