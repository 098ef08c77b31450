import { unitOf } from '../../assets/rules/asset.ts';
import type { Instant } from '../../platform/units/time.ts';
import { type BasisPoints, FULL_SHARE, type Lovelace, lovelace, type BaseUnits } from '../../platform/units/money.ts';
import { type DepositOrder, byDepositOrder, limitOfPolicy, withinShare, type Price } from '../../prices/rules.ts';
import {
  type PricedAsset,
  pricedAsset,
  type ValuationTerms,
  type ValuedAsset,
} from '../../prices/rules/priced-asset.ts';
import {
  type Contribution,
  type OwnContribution,
  type DistributionInput,
  type SettlementInput,
  contributionOf,
  type Distribution,
  distribute,
} from './distribution.ts';
import { evaluateFdv } from './fdv-bounds.ts';
import type { UtxoRef } from '../../transactions/rules.ts';

export type DepositKind = 'asset' | 'investment';

/** 80 %: an asset that counts with a smaller part of its own value goes back. */
const LEAST_COUNTED = 8_000n;

interface CountedAssets {
  /** The assets that count, with the values they count with. */
  readonly counted: readonly Contribution[];
  /** The assets that `maxShare` would make count with too little. */
  readonly capped: readonly OwnContribution[];
}

/**
 * Which assets count, and with which values. Those of one policy count, in the order in which they came, if they do not count with too little
 * in addition to those that count of it already. With how much a policy can count depends on all that count, so all are evaluated again with less until
 * that is enough. The limit that is found is the largest one that holds: nothing that comes later makes it smaller, whether or not it goes back.
 */
export function countAssets(assets: readonly OwnContribution[], maxShare: BasisPoints): CountedAssets {
  let [limit, staying] = [null as Lovelace | null, fitting(assets, null)];
  for (;;) {
    const next = limitOfPolicy(staying, maxShare);
    if (next === null || (limit !== null && next >= limit)) break;
    limit = next;
    staying = fitting(assets, limit);
  }
  const counted = withinShare(
    staying.map((asset) => ({ ...asset, ownValue: asset.value })),
    maxShare,
  );
  // Of those that fit, only what is rounded down makes some count with too little.
  const rounded = new Set(counted.filter(countsTooLittle).map(({ id }) => id));
  if (rounded.size > 0) {
    const others = countAssets(
      assets.filter(({ id }) => !rounded.has(id)),
      maxShare,
    );
    return { ...others, capped: [...others.capped, ...assets.filter(({ id }) => rounded.has(id))] };
  }
  const ids = new Set(counted.map(({ id }) => id));
  return { counted, capped: assets.filter(({ id }) => !ids.has(id)) };
}

/**
 * The assets with their own values, at most what their markets can take, that fit one after the other if those of a policy count with `limit`
 * together: none takes up what is left to others unless it fits. Null limits nothing.
 */
function fitting(assets: readonly OwnContribution[], limit: Lovelace | null): OwnContribution[] {
  const [sums, sumsOfUnits] = [new Map<string, bigint>(), new Map<string, bigint>()];
  const own = new Map<string, Lovelace>();
  for (const asset of assets.toSorted((one, other) => byDepositOrder(depositOrderOf(one), depositOrderOf(other)))) {
    const { id, policyId, assetName = id, marketLimit, value: all } = asset;
    const unit = unitOf({ policyId, assetName });
    const [ofPolicy, ofUnit] = [sums.get(policyId) ?? 0n, sumsOfUnits.get(unit) ?? 0n];
    const left = marketLimit === undefined ? all : marketLimit - ofUnit;
    const value = left < 0n ? 0n : left < all ? left : all;
    if (limit !== null && limit * FULL_SHARE < (ofPolicy + value) * LEAST_COUNTED) continue;
    sumsOfUnits.set(unit, ofUnit + value);
    sums.set(policyId, ofPolicy + value);
    own.set(id, lovelace(value));
  }
  return assets.flatMap((asset) => {
    const value = own.get(asset.id);
    return value === undefined ? [] : [{ ...asset, value }];
  });
}

function depositOrderOf({ id, at: addedAt, lockedAt = null }: OwnContribution): DepositOrder {
  return { id, addedAt, lockedAt };
}

function countsTooLittle({ value, ownValue }: Required<Contribution>): boolean {
  return value * FULL_SHARE < ownValue * LEAST_COUNTED;
}

/** Why an investment of a vault that settles goes back to its owner (design D41). */
export const investmentReturnReasons = ['value_below_bound', 'fdv_above_bound', 'share_below_one_unit'] as const;
export type InvestmentReturnReason = (typeof investmentReturnReasons)[number];

/** Why a deposit of a vault that settles goes back to its owner (design D12, D41). */
export const returnReasons = [...investmentReturnReasons, 'share_of_value_capped'] as const;
export type AssetReturnReason = Extract<
  (typeof returnReasons)[number],
  'share_below_one_unit' | 'share_of_value_capped'
>;

interface Returned<Kind extends DepositKind, Reason> {
  readonly id: string;
  readonly wallet: string;
  readonly depositKind: Kind;
  readonly reason: Reason;
}
type ReturnedInvestment = Returned<'investment', InvestmentReturnReason>;
type ReturnedAsset = Returned<'asset', AssetReturnReason>;

/** A deposit that goes back to its owner and counts in nothing. */
export type ReturnedDeposit = ReturnedInvestment | ReturnedAsset;

type Settles = Extract<Distribution, { kind: 'settles' }>;

/** `returned` are the deposits that go back, `counted` the assets that stay, with the values they count with. */
export type CountedDistribution =
  | Exclude<Distribution, Settles>
  | (Settles & { readonly returned: readonly ReturnedDeposit[]; readonly counted: readonly Contribution[] });

/**
 * Who gets what when a vault settles, among the deposits that count. Assets that count with too little of their value, investments
 * whose bound is above the value or below the FDV, and deposits whose share is no unit, go back to their owners (design D41).
 */
export function distributeToCounted(input: SettlementInput): CountedDistribution {
  let smallAssets: readonly ReturnedAsset[] = [];
  let smallInvestments: readonly ReturnedInvestment[] = [];
  for (;;) {
    const { counted, returned } = withinBounds(without(input, [...smallAssets, ...smallInvestments]));
    const distribution = distribute(counted);
    if (distribution.kind === 'fails') return distribution;
    const assets = withoutShare(distribution.contributors).map(smallAsset);
    const investments = withoutShare(distribution.investors).map(smallInvestment);
    if (assets.length > 0) {
      smallAssets = [...smallAssets, ...assets];
      // The value is lower now: an investment that has left too little to others may be out of its bound.
      smallInvestments = [];
    } else if (investments.length > 0) {
      smallInvestments = [...smallInvestments, ...investments];
    } else {
      const all = [...returned, ...smallInvestments, ...smallAssets];
      return { ...distribution, returned: all, counted: counted.contributors };
    }
  }
}

interface CountedInput {
  readonly counted: DistributionInput;
  readonly returned: readonly ReturnedDeposit[];
}

/** What counts when the values of the assets, then the bound on their sum, then that on the FDV have been evaluated, in this order. */
function withinBounds(input: SettlementInput): CountedInput {
  const { counted: contributors, capped } = countAssets(input.contributors, input.maxShare);
  const valued: DistributionInput = { ...input, contributors };
  const tooPoor = belowBound(valued);
  const worthIt = without(valued, tooPoor);
  const tooDear = aboveBound(worthIt);
  return { counted: without(worthIt, tooDear), returned: [...capped.map(cappedAsset), ...tooPoor, ...tooDear] };
}

/** The investments whose bound is above what the assets are worth. */
function belowBound({ contributors, investors }: DistributionInput): ReturnedInvestment[] {
  const value = contributors.reduce((sum, contribution) => sum + contribution.value, 0n);
  return investors
    .filter(({ minVaultValue }) => minVaultValue !== undefined && minVaultValue > value)
    .map(({ id, wallet }) => ({ id, wallet, depositKind: 'investment', reason: 'value_below_bound' }));
}

/** The investments that would pay a higher FDV than they allow. */
function aboveBound({ investors, ftPercentage }: DistributionInput): ReturnedInvestment[] {
  const { above } = evaluateFdv(investors, ftPercentage);
  return investors
    .filter(({ id }) => above.has(id))
    .map(({ id, wallet }) => ({ id, wallet, depositKind: 'investment', reason: 'fdv_above_bound' }));
}

interface Share {
  readonly id: string;
  readonly wallet: string;
  readonly ft: bigint;
  readonly lovelace?: bigint;
}

/** The shares of less than one unit of anything. */
function withoutShare(shares: readonly Share[]): Share[] {
  return shares.filter(({ ft, lovelace = 0n }) => ft === 0n && lovelace === 0n);
}

function smallAsset({ id, wallet }: Share): ReturnedAsset {
  return { id, wallet, depositKind: 'asset', reason: 'share_below_one_unit' };
}

function cappedAsset({ id, wallet }: Contribution): ReturnedAsset {
  return { id, wallet, depositKind: 'asset', reason: 'share_of_value_capped' };
}

function smallInvestment({ id, wallet }: Share): ReturnedInvestment {
  return { id, wallet, depositKind: 'investment', reason: 'share_below_one_unit' };
}

/** What the other deposits add up to. */
function without<Input extends DistributionInput | SettlementInput>(
  input: Input,
  returned: readonly ReturnedDeposit[],
): Input {
  if (returned.length === 0) return input;
  const ids = new Set(returned.map(({ id }) => id));
  const stays = ({ id }: { readonly id: string }) => !ids.has(id);
  return { ...input, contributors: input.contributors.filter(stays), investors: input.investors.filter(stays) };
}

interface LockedAsset extends ValuedAsset {
  readonly id: string;
  /** Wallet. */
  readonly owner: string;
  readonly addedAt: Instant;
  readonly lockedAt: Instant | null;
  readonly removeTransactionId: string | null;
}

/** The assets in a vault that are not being returned, with their own values, whatever limits these. `latest` as for `pricedAsset`. */
export function stayingValues<Asset extends LockedAsset>(
  locked: readonly Asset[],
  terms: ValuationTerms,
  latest: ReadonlyMap<string, Price>,
): PricedAsset<Asset>[] {
  return locked.filter(isStaying).map((asset) => pricedAsset(asset, terms, latest));
}

/** As `stayingValues`, with the values that a settlement would count; 0 for those it would return. */
export function countedValues<Asset extends LockedAsset>(
  locked: readonly Asset[],
  terms: ValuationTerms & { readonly maxShare: BasisPoints },
  latest: ReadonlyMap<string, Price>,
): PricedAsset<Asset>[] {
  const staying = stayingValues(locked, terms, latest);
  const { counted } = countAssets(staying.map(contributionOf), terms.maxShare);
  const values = new Map(counted.map(({ id, value }) => [id, value]));
  return staying.map((priced) => ({ ...priced, value: values.get(priced.asset.id) ?? lovelace(0n) }));
}

/** Whether a deposit is in its vault and no transaction returns it. */
export function isStaying({ removeTransactionId }: { readonly removeTransactionId: string | null }): boolean {
  return removeTransactionId === null;
}

/** A deposit that a delivery spends, and what the plan of the settlement owes for it. */
export interface OwedDelivery {
  readonly deposit: UtxoRef;
  readonly owner: string;
  readonly invested: Lovelace;
  readonly ft: BaseUnits;
  /** The owner's share of the invested ADA. */
  readonly lovelace: Lovelace;
}

/** What the plan of a settlement gives for a deposit. */
export interface PlannedShare extends OwedDelivery {
  /** What an asset counts with; 0 for an investment. */
  readonly value: Lovelace;
  /** What it was counted as besides ADA, by policy id + name: nothing for an investment. */
  readonly contributed: ReadonlyMap<string, bigint>;
}
