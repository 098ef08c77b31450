import { canonicalJson } from '../anchoring/rules/merkle.ts';
import { type AssetClass, maxAssetsPerVault, unitOf, type AssetType } from '../assets/rules/asset.ts';
import { ServiceError } from '../platform/errors.ts';
import { type Instant, isoText } from '../platform/units/time.ts';
import { type BasisPoints, FULL_SHARE, type Lovelace, lovelace, type BaseUnits } from '../platform/units/money.ts';
import { MAX_QUANTITY } from '../types/rules.ts';

/** The price of one whole token or one NFT that the admin of a vault has set for it (design D15). */
export interface CustomPrice extends AssetClass {
  readonly lovelace: Lovelace;
  /** Decimals of the asset: 0 for an NFT. */
  readonly decimals: number;
  /** The whole tokens that count at most, of all deposits together; undefined, of prices from before there was a limit, is none. */
  readonly maxQuantity?: number | undefined;
  readonly setAt: Instant;
}

/** The largest `maxQuantity`: the most that the deposits of a vault can have of one asset. */
export const MAX_CUSTOM_QUANTITY = MAX_QUANTITY * maxAssetsPerVault;

/** The most custom prices of a vault: as many as it can have assets. */
export const MAX_CUSTOM_PRICES = maxAssetsPerVault;

/** Named as the source of a custom price. */
const SOURCE = 'admin';

/** The price that the admin has set for an asset, with the most that all of it can count with; undefined when its market says it. */
export function customPriceOf(
  {
    customPrices,
    floorPricePercentage,
  }: { readonly customPrices: readonly CustomPrice[]; readonly floorPricePercentage: BasisPoints },
  { policyId, assetName }: AssetClass,
): Price | undefined {
  const found = customPrices.find((price) => price.policyId === policyId && price.assetName === assetName);
  if (!found) return undefined;
  const { lovelace: price, decimals, setAt: asOf, maxQuantity } = found;
  // The limit is one of quantities: of each token no more counts than the vault counts of its price.
  const marketLimit =
    maxQuantity === undefined ? undefined : lovelace((price * BigInt(maxQuantity) * floorPricePercentage) / FULL_SHARE);
  return { lovelace: price, decimals, asOf, source: SOURCE, marketLimit };
}

/** A price of an asset in a vault: that of its contribution, or the one that the settlement counts. */
export interface DepositPrice {
  readonly kind: 'contributed' | 'counted';
  readonly asset: AssetClass & { readonly vaultId: string };
  /** The output that holds it, as `<hash>#<index>`. */
  readonly deposit: string;
  readonly price: Price;
}

/** A price with the worker's seal on it. */
export type SealedPrice = Price & { readonly seal: string };

/** What the worker seals of a price that it has decided itself. The text never changes: seals are stored. */
export function priceSealText({ kind, asset, deposit, price }: DepositPrice): string {
  const { lovelace, decimals, asOf, source, marketLimit = '' } = price;
  const of = { vault: asset.vaultId, deposit, unit: unitOf(asset) };
  const is = { lovelace: String(lovelace), decimals, asOf, source, marketLimit: String(marketLimit) };
  return canonicalJson({ sealed: `${kind}_price`, ...of, ...is });
}

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

interface Valued {
  readonly value: Lovelace;
}

/** What decides which of two contributions came first: whoever only asks for a transaction has not brought anything yet. */
export interface DepositOrder {
  readonly id: string;
  readonly addedAt: Instant;
  /** The time of the block that has it; null before. */
  readonly lockedAt: Instant | null;
}

interface ValuedAtMarket extends Valued {
  readonly asset: AssetClass & DepositOrder;
  readonly price: Pick<Price, 'marketLimit'>;
}

interface ValuedOfPolicy extends Valued {
  readonly policyId: string;
}

/**
 * The assets of a vault, all of one asset with at most what its market can take. Who contributed first counts first: nobody takes
 * from others, by bringing more of an asset later, what theirs counts with.
 */
export function withinMarket<Asset extends ValuedAtMarket>(assets: readonly Asset[]): Asset[] {
  const countedBefore = new Map<string, bigint>();
  const values = new Map<string, Lovelace>();
  for (const { asset, price, value } of assets.toSorted((one, other) => byDepositOrder(one.asset, other.asset))) {
    const unit = unitOf(asset);
    const before = countedBefore.get(unit) ?? 0n;
    const left = price.marketLimit === undefined ? value : price.marketLimit - before;
    const counted = left < 0n ? 0n : left < value ? left : value;
    countedBefore.set(unit, before + counted);
    values.set(asset.id, lovelace(counted));
  }
  return assets.map((one) => ({ ...one, value: values.get(one.asset.id) ?? one.value }));
}

/** The assets of a vault, all of one policy with at most `maxShare` of what all count with. A value that is lowered is rounded down. */
export function withinShare<Asset extends ValuedOfPolicy>(assets: readonly Asset[], maxShare: BasisPoints): Asset[] {
  const limit = limitOfPolicy(assets, maxShare);
  if (limit === null) return [...assets];
  const sums = sumsOfPolicies(assets);
  return assets.map((asset) => {
    const sum = sums.get(asset.policyId) ?? 0n;
    return sum <= limit ? asset : { ...asset, value: lovelace((asset.value * limit) / sum) };
  });
}

/** With how much the assets of one policy can count; null where nothing limits them. */
export function limitOfPolicy(assets: readonly ValuedOfPolicy[], maxShare: BasisPoints): Lovelace | null {
  return maxShare >= FULL_SHARE ? null : lovelace(shareLimit([...sumsOfPolicies(assets).values()], maxShare));
}

function sumsOfPolicies(assets: readonly ValuedOfPolicy[]): Map<string, bigint> {
  const groups = Map.groupBy(assets, ({ policyId }) => policyId);
  return new Map([...groups].map(([policyId, group]) => [policyId, sumOf(group)]));
}

/** The order in which contributions came: that of their blocks, then that of their requests. */
export function byDepositOrder(one: DepositOrder, other: DepositOrder): number {
  const inBlocks = (one.lockedAt ?? one.addedAt) - (other.lockedAt ?? other.addedAt);
  return inBlocks || one.addedAt - other.addedAt || (one.id < other.id ? -1 : 1);
}

/** The largest value of one group, if none may be more than `maxShare` of the sum of all as they count. */
function shareLimit(sums: readonly bigint[], maxShare: bigint): bigint {
  const descending = [...sums].sort((one, other) => (one < other ? 1 : -1));
  let rest = sumOfAll(descending);
  for (const [position, largest] of descending.entries()) {
    // The `position` larger groups count with the limit, the others as they are.
    const remainingShare = FULL_SHARE - BigInt(position) * maxShare;
    if (remainingShare <= 0n) return 0n;
    const limit = (rest * maxShare) / remainingShare;
    if (largest <= limit) return limit;
    rest -= largest;
  }
  return 0n;
}

const sumOf = (assets: readonly Valued[]) => sumOfAll(assets.map(({ value }) => value));

function sumOfAll(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n);
}
