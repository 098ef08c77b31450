import { type AssetType } from '../../assets/rules/asset.ts';
import { ServiceError } from '../../platform/errors/errors.ts';
import { type Instant, isoText } from '../../platform/units/instant.ts';
import { type BaseUnits, type BasisPoints, type Lovelace, lovelace, FULL_SHARE } from '../../platform/units/money.ts';

/** The price of one whole token or one NFT, from a price source. */
export interface Price {
  readonly lovelace: Lovelace;
  /** Decimals of the asset: 0 for an NFT. */
  readonly decimals: number;
  readonly asOf: Instant;
  readonly source: string;
  /** Lovelace that the market can take for all of this asset; undefined when the source does not say. */
  readonly marketLimit?: Lovelace | undefined;
}

/** The value of an asset in its vault, in lovelace: its market price times the vault's floor price percentage, rounded down once (design D12). */
export function valueOf(quantity: BaseUnits, price: Price, floorPricePercentage: BasisPoints): Lovelace {
  const scale = 10n ** BigInt(price.decimals) * FULL_SHARE;
  return lovelace((quantity * price.lovelace * floorPricePercentage) / scale);
}

/** How far the clock of a price source may be ahead. */
const MAX_AHEAD_MS = 120_000;

/** Whether a price is dated in the future: it would stay fresh for ever, and no true price would replace it. */
export function isFromFuture(price: Pick<Price, 'asOf'>, now: Instant): boolean {
  return price.asOf - now > MAX_AHEAD_MS;
}

/** Whether a price is older than `maxAge` seconds, or dated in the future (design D14). */
export function isStale(price: Pick<Price, 'asOf'>, now: Instant, maxAge: number): boolean {
  return now - price.asOf > maxAge * 1000 || isFromFuture(price, now);
}

/** Whether a price is at least half of another one, and at most twice of it. */
export function isNear(price: Pick<Price, 'lovelace'>, other: Pick<Price, 'lovelace'>): boolean {
  return price.lovelace * 2n >= other.lovelace && price.lovelace <= other.lovelace * 2n;
}

/** Throws PRICE_UNAVAILABLE for a price that is older than `maxAge` seconds, or dated in the future. */
export function requireFresh(price: Price, now: Instant, maxAge: number): void {
  if (!isStale(price, now, maxAge)) return;
  throw new ServiceError('PRICE_UNAVAILABLE', { asOf: isoText(price.asOf), source: price.source });
}

/** Values by kind; the total is their sum. */
export interface ValuationTotals {
  readonly total: Lovelace;
  readonly nftValue: Lovelace;
  readonly cntValue: Lovelace;
}

/** Sums the values of a vault's assets. */
export function valuationTotals(
  assets: readonly { readonly type: AssetType; readonly value: Lovelace }[],
): ValuationTotals {
  const sumOf = (type: AssetType) => assets.reduce((sum, asset) => (asset.type === type ? sum + asset.value : sum), 0n);
  const nftValue = sumOf('NFT');
  const cntValue = sumOf('CNT');
  return { total: lovelace(nftValue + cntValue), nftValue: lovelace(nftValue), cntValue: lovelace(cntValue) };
}
