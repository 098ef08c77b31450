import type { AssetClass } from '../assets/rules/asset.ts';
import { settleAll } from '../platform/errors/failures.ts';
import { type Clock, wallClock } from '../platform/units/clock.ts';
import { type Instant, secondsAfter } from '../platform/units/instant.ts';
import { type ClassPrice, storePrices } from './queries/prices.ts';
import { assetClassesInVaults } from '../assets/queries/vault-assets.ts';
import { setValued, type VaultToValue, vaultsToValue } from './queries/vaults-to-value.ts';
import type { RefreshPosition } from '../platform/temporal/activity-types.ts';
import type { ServiceContext } from '../context.ts';
import { findPrice } from './find-price.ts';
import { publishValuation } from './publish-valuation.ts';

const PAGE = 100;
const VALUED_AT_ONCE = 4;
/** A part ends after this, before the time of its activity is up (workflows/activity-proxies.ts). */
const PART_SECONDS = 120;

type Context = Pick<ServiceContext, 'db' | 'priceSource' | 'readingTime' | 'unitOfWork' | 'durationBounds'>;

/** What came of one part of a refresh. */
export interface RefreshedPart {
  /** Null when everything is done. */
  readonly next: RefreshPosition | null;
  /** How many prices were stored. */
  readonly refreshed: number;
  /** Why prices or valuations could not be stored. */
  readonly failures: readonly unknown[];
}

/**
 * Stores the current prices of what is in a vault, then values the vaults of which something has changed and publishes the valuations that
 * differ, from a position on and while there is time; goes on past what fails.
 */
export async function refreshValuations(
  context: Context,
  from: RefreshPosition,
  clock: Clock = wallClock,
): Promise<RefreshedPart> {
  const now = await context.readingTime();
  const end = secondsAfter(clock.now(), PART_SECONDS);
  const failures: unknown[] = [];
  let refreshed = 0;
  let position: RefreshPosition | null = from;
  do {
    if (position.step === 'prices') {
      const page: AssetClass[] = await assetClassesInVaults(context.db, position.after, PAGE);
      refreshed += await refreshPrices(context, page, now, failures);
      const after = page.length < PAGE ? undefined : page.at(-1);
      position = after ? { step: 'prices', after } : { step: 'valuations', after: null };
    } else {
      const page: ToValue = await vaultsToValue(context.db, position.after, { limit: PAGE, now });
      failures.push(...(await valueVaults(context, page.due, now)));
      position = page.last === null ? null : { step: 'valuations', after: page.last };
    }
  } while (position !== null && clock.now() < end);
  return { next: position, refreshed, failures };
}

/** Returns what failed. */
async function valueVaults(context: Context, due: readonly VaultToValue[], now: Instant): Promise<unknown[]> {
  const valued: VaultToValue[] = [];
  const failures = await settleAll(due, VALUED_AT_ONCE, async (vault) => {
    await publishValuation(context, vault.id);
    valued.push(vault);
  });
  await setValued(context.db, valued, now);
  return failures;
}

type ToValue = Awaited<ReturnType<typeof vaultsToValue>>;

/** Returns how many prices are stored. Of an asset without a price in the feed the last known one stays and shows its age. */
async function refreshPrices(
  { db, priceSource }: Context,
  page: readonly AssetClass[],
  now: Instant,
  failures: unknown[],
): Promise<number> {
  const found: ClassPrice[] = [];
  const ask = async (asset: AssetClass) => {
    const price = await findPrice(priceSource, asset);
    if (price !== null) found.push({ asset, price });
  };
  failures.push(...(await settleAll(page, PAGE, ask)));
  try {
    await storePrices(db, found, now);
    return found.length;
  } catch {
    // One of them cannot be stored, which is no reason to lose the others.
    const failed = await settleAll(found, PAGE, (one) => storePrices(db, [one], now));
    failures.push(...failed);
    return found.length - failed.length;
  }
}
