import { ApplicationFailure } from '@temporalio/workflow';
import type { RefreshedPart, RefreshPosition } from '../src/platform/temporal/activity-types.ts';
import { upkeep } from './activity-proxies.ts';

/**
 * Refreshes the price of everything that is in a vault, then the valuations, in parts: what hangs or fails keeps nothing behind it from its
 * turn. Run by a Schedule. Fails at the end when something could not be stored; the log of the worker names it.
 */
export async function valuationRefresh(): Promise<{ refreshed: number }> {
  let [refreshed, failed] = [0, 0];
  let from: RefreshPosition | null = { step: 'prices', after: null };
  do {
    const part: RefreshedPart = await upkeep.refreshValuations({ from });
    refreshed += part.refreshed;
    failed += part.failed;
    from = part.next;
  } while (from !== null);
  if (failed > 0) throw ApplicationFailure.nonRetryable(`${failed} prices or valuations could not be stored`);
  return { refreshed };
}
