import { upkeep } from './activity-proxies.ts';

/** Refreshes the price of everything that is in a vault. Run by a Schedule. */
export function valuationRefresh(): Promise<{ refreshed: number }> {
  return upkeep.refreshValuations();
}
