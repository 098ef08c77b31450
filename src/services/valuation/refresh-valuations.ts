import type { AssetClass } from '../../domain/asset/asset.ts';
import { ServiceError } from '../../domain/errors.ts';
import { settleAll, throwFailures } from '../../domain/failures.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { storePrice } from '../../store/prices.ts';
import { assetClassesInVaults } from '../../store/vault-assets.ts';
import type { ServiceContext } from '../context.ts';
import { publishValuations } from './publish-valuations.ts';

const PAGE = 100;

type Context = Pick<ServiceContext, 'db' | 'priceSource' | 'readingTime' | 'unitOfWork' | 'durationBounds'>;

/**
 * Stores the current price of everything that is in a vault, and publishes the valuations that differ then; returns how many prices
 * there are. Throws an AggregateError at the end when some could not be stored.
 */
export async function refreshValuations(context: Context): Promise<number> {
  const now = await context.readingTime();
  let refreshed = 0;
  const failures: unknown[] = [];
  let after: AssetClass | null = null;
  for (;;) {
    const page: AssetClass[] = await assetClassesInVaults(context.db, after, PAGE);
    const failed = await settleAll(page, PAGE, async (asset) => {
      if (await refreshPrice(context, asset, now)) refreshed += 1;
    });
    failures.push(...failed);
    after = page.at(-1) ?? null;
    if (page.length < PAGE) break;
  }
  failures.push(...(await publishValuations(context)));
  throwFailures(failures, `${failures.length} prices or valuations could not be stored: ${String(failures[0])}`);
  return refreshed;
}

/** Returns false when the feed has no price now; the last known one stays and shows its age. */
async function refreshPrice({ db, priceSource }: Context, asset: AssetClass, now: Instant): Promise<boolean> {
  try {
    await storePrice(db, asset, await priceSource.priceOf(asset), now);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'PRICE_UNAVAILABLE') return false;
    throw error;
  }
}
