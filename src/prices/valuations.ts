import type { Caller } from '../access/rules.ts';
import type { Asset } from '../assets/queries/assets.ts';
import { assetClassesInVaults } from '../assets/queries/listed-assets.ts';
import type { AssetType, AssetClass } from '../assets/rules/asset.ts';
import type { ServiceContext } from '../context.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError, settleAll } from '../platform/errors.ts';
import type { RefreshPosition } from '../platform/temporal/activity-types.ts';
import { type Clock, wallClock, type Instant, secondsAfter } from '../platform/units/time.ts';
import { findPrice } from './fresh-price.ts';
import { type ClassPrice, storePrices } from './queries/prices.ts';
import {
  findValuedVault,
  type SettledValuation,
  type ValuedVault,
  setValued,
  type VaultToValue,
  vaultsToValue,
  lockLowValuations,
  setLowValuations,
  lockVaultToValue,
  setPublishedValuation,
} from './queries/valuations.ts';
import { withinMarket, valuationTotals, type ValuationTotals } from './rules.ts';
import { marketPricedAsset, type PricedAsset } from './rules/priced-asset.ts';
import { isLiquidationSent } from '../proposals/queries/proposal-executions.ts';
import { countedValues } from '../settlement/rules/deposits.ts';
import { beginTermination } from '../termination/begin-termination.ts';
import { countValuation, type HeldValue, LOW_VALUATIONS_TO_END } from '../termination/rules/floor-price-deviation.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { readerScope } from '../vaults/require-vault.ts';

/** The value of the LOCKED assets of a vault, in lovelace. */
export interface VaultValuation {
  readonly totals: ValuationTotals;
  readonly counts: Readonly<Record<AssetType, number>>;
  readonly assets: readonly PricedAsset<Asset>[];
  /** Null until the settlement is planned. */
  readonly settled: SettledValuation | null;
  readonly now: Instant;
}

/** The valuation of a vault that the caller may read. */
export async function readValuation(
  { db, readingTime }: Pick<ServiceContext, 'db' | 'readingTime'>,
  caller: Caller,
  vaultId: string,
): Promise<VaultValuation> {
  const vault = await findValuedVault(db, vaultId, readerScope(caller));
  if (!vault) throw new ServiceError('VAULT_NOT_FOUND');
  return valueVault(vault, await readingTime());
}

/** The value of the assets of a vault: as its settlement would count them now, and once it is settled, as the market values them. */
export function valueVault({ terms, lockedAt, locked, prices, settled }: ValuedVault, now: Instant): VaultValuation {
  const assets =
    lockedAt === null
      ? countedValues(locked, terms, prices)
      : withinMarket(locked.map((asset) => marketPricedAsset(asset, terms, prices)));
  const countOf = (type: AssetType) => assets.filter(({ asset }) => asset.type === type).length;
  return {
    totals: valuationTotals(assets.map(({ asset: { type }, value }) => ({ type, value }))),
    counts: { NFT: countOf('NFT'), CNT: countOf('CNT') },
    assets,
    settled,
    now,
  };
}

const PAGE = 100;
const VALUED_AT_ONCE = 4;
/** A part ends after this, before the time of its activity is up (workflows/activity-proxies.ts). */
const PART_SECONDS = 120;

type Context = Pick<ServiceContext, 'db' | 'priceSource' | 'readingTime' | 'unitOfWork' | 'durationBounds'>;

/** What came of one part of a refresh. */
interface RefreshedPart {
  /** Null when everything is done. */
  readonly next: RefreshPosition | null;
  /** How many prices were stored. */
  readonly refreshed: number;
  /** Why prices or valuations could not be stored. */
  readonly failures: readonly unknown[];
}

/**
 * Stores the current prices of what is in a vault, then values the vaults of which something has changed and publishes the valuations that
 * differ, from a position on and while there is time; continues past what fails.
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

/** Counts a valuation of a settled vault that ends at a floor price deviation, and begins its end at the third in a row (design D30). A price older than `maxAge` seconds does not count. */
async function countLowValuation(
  context: TransactionContext,
  { id, terms: { termination } }: Vault,
  { assets, now }: VaultValuation,
  maxAge: number,
): Promise<void> {
  if (termination.fdp === 0n) return;
  const counted = await lockLowValuations(context.tx, id);
  if (counted === null) return;
  const held = assets.map(({ asset, price, value }): HeldValue => {
    const pricedAt = asset.valuationMethod === 'custom' ? null : price.asOf;
    return { settled: asset.countedValue, current: value, pricedAt };
  });
  const next = countValuation(held, termination.fdp, counted, { now, maxAge });
  if (next.countedAt === counted.countedAt) return;
  await setLowValuations(context.tx, id, next);
  // A liquidation that was sent names recipients; if it is not confirmed, the next low valuation ends the vault.
  if (next.count < LOW_VALUATIONS_TO_END || (await isLiquidationSent(context.tx, id))) return;
  await beginTermination(context, id, { reason: 'floor_price_deviation' });
}

type PublishValuationContext = Pick<ServiceContext, 'unitOfWork' | 'durationBounds'>;

/**
 * Publishes the valuation of a vault when it is another one than the last that was published. It is read behind the lock of the vault, so
 * that an older valuation never follows a newer one.
 */
async function publishValuation(
  { unitOfWork, durationBounds }: PublishValuationContext,
  vaultId: string,
): Promise<void> {
  await unitOfWork(async (context) => {
    const { tx, now } = context;
    const vault = await lockVaultToValue(tx, vaultId);
    const valued = await findValuedVault(tx, vaultId, 'everyone');
    if (vault === null || valued === null) return;
    const valuation = valueVault(valued, now);
    await countLowValuation(context, vault, valuation, durationBounds.valuationAge.max);
    const { total, nftValue, cntValue } = valuation.totals;
    if (!(await setPublishedValuation(tx, vaultId, total))) return;
    const data = { total: total.toString(), nftValue: nftValue.toString(), cntValue: cntValue.toString() };
    const source = { ...platformEventFields(vaultId), transactionHash: null };
    await publish(context, { event: { type: 'VALUATION_CHANGED', ...source, data } });
  });
}
