import type { Ledger } from './ledger.ts';

/** Of this many ticks, a ledger at rest uses one. */
const REST_TICKS = 5;

/**
 * What makes the blocks that time makes: one at each call, but one of five calls once `restAfter` empty blocks have followed the last
 * transaction or rollback. Every block costs those who follow the ledger the same, whether or not it holds anything.
 */
export function blockPulse(ledger: Pick<Ledger, 'chain' | 'mempool' | 'tick'>, restAfter = Infinity): () => void {
  let [height, restsAbove, skipped] = [-1, Infinity, 0];
  return () => {
    const before = height;
    ({ height } = ledger.chain.blocks.tip());
    if (ledger.mempool.size() > 0 || height < before || before === -1) restsAbove = height + 1 + restAfter;
    if (height >= restsAbove && skipped + 1 < REST_TICKS) {
      skipped += 1;
      return;
    }
    skipped = 0;
    ledger.tick();
  };
}
