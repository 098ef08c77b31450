import { policyOf } from '../../assets/rules/asset.ts';
import { readPaymentKeyHash, paymentKeyHashOf } from '../../cardano/scripts/address.ts';
import { depositAddressOf } from '../../cardano/scripts/script-addresses.ts';
import type { Unit, Utxo } from '../../cardano/transaction.ts';
import type { Steps } from '../../platform/states.ts';
import { FULL_SHARE, baseUnits } from '../../platform/units/money.ts';
import { withinMarket, withinShare, isNear, valueOf } from '../../prices/rules.ts';
import type { PlannedShare, OwedDelivery } from '../../settlement/rules/deposits.ts';
import { liquidityLovelace } from '../../settlement/rules/distribution.ts';
import type { SettlementPlan } from '../../settlement/rules/plan-commitment.ts';
import type { PlannedDeposits, CommittedPlan, CountedPrices } from '../evidence.ts';
import { type VaultAddresses, ownerAddresses } from '../addresses.ts';
import { equalAssets, type SigningRequest, assertAllowed, sumOf, requireInputsAt } from '../policy.ts';
import { refText } from '../../transactions/rules.ts';

/**
 * Throws unless a plan divides the supply, and what was invested, by its terms among deposits that lie on the ledger: FT among investors by
 * what they have invested, FT and ADA among contributors by what their assets count with, which are those that lie there.
 */
export function* requirePlanned(
  request: Pick<SigningRequest, 'networkId'>,
  vault: VaultAddresses,
  { plan, held }: PlannedDeposits,
): Steps<void> {
  for (const share of plan.shares) {
    const output = held.get(refText(share.deposit));
    assertAllowed(output !== undefined, `${refText(share.deposit)} is not on the ledger`);
    requireDeposit(request, vault, output, share);
    const shown = ownerAddresses(output.paid, readPaymentKeyHash(share.owner));
    assertAllowed(
      shown.length === 0 || shown.includes(share.owner),
      `the change of ${refText(share.deposit)} went to ${shown.join()}`,
    );
    const isOne = share.invested > 0n ? share.value === 0n && share.lovelace === 0n : output.assets.size === 1;
    assertAllowed(isOne, `${refText(share.deposit)} is neither one asset nor an investment`);
    assertAllowed(
      equalAssets(output.assets, share.contributed),
      `${refText(share.deposit)} holds other assets than counted`,
    );
    yield;
  }
  const deposits = new Set(plan.shares.map(({ deposit }) => refText(deposit)));
  assertAllowed(deposits.size === plan.shares.length, 'its plan counts a deposit twice');
  requireDivided(plan);
}

function requireDivided({ terms, shares }: SettlementPlan): void {
  const { supply, lpPercentage } = terms;
  const shared = supply - (supply * lpPercentage) / (2n * FULL_SHARE);
  const investorsFt = investorsPart(terms);
  const investors = shares.filter(({ invested }) => invested > 0n);
  const contributors = shares.filter(({ invested }) => invested === 0n);
  const invested = sharesOf(investors, 'invested');
  requireParts(investorsFt, investors, { part: 'ft', weight: 'invested' });
  requireParts(shared - investorsFt, contributors, { part: 'ft', weight: 'value' });
  requireParts(invested - liquidityLovelace(invested, terms), contributors, { part: 'lovelace', weight: 'value' });
}

type Amount = 'invested' | 'value' | 'ft' | 'lovelace';

/** A plan may leave out everybody who would have a part of something: their deposits stay their own. */
function requireParts(
  total: bigint,
  shares: readonly PlannedShare[],
  { part, weight }: { readonly part: Amount; readonly weight: Amount },
): void {
  if (shares.length === 0) return;
  const weights = sharesOf(shares, weight);
  const other = shares.find((share) => !isPartOf({ total, part: share[part], weight: share[weight], weights }));
  assertAllowed(!other, `its plan gives another part for ${other && refText(other.deposit)}`);
  assertAllowed(sharesOf(shares, part) === total, `its plan gives ${sharesOf(shares, part)} of ${total}`);
}

function sharesOf(shares: readonly PlannedShare[], amount: Amount): bigint {
  return shares.reduce((sum, share) => sum + share[amount], 0n);
}

/** More than the operator adds with a mint. */
const LARGEST_FLOAT = 20_000_000n;

interface Delivery {
  readonly settlement: string;
  readonly ftUnit: Unit;
  /** The deposits that are delivered, by the plan. */
  readonly delivered: readonly { readonly invested: bigint; readonly ft: bigint }[];
}

/**
 * Throws when contributors are paid while the settlement has the tokens of an investor who did not reclaim: their share counts on ADA that has
 * not come in, which that investor could take back. Throws as well when more ADA has come in than investors are said to have kept. The tokens lie
 * in one output, so that none are counted elsewhere.
 */
export function requireInvestorsFirst(
  { transaction, spent }: Pick<SigningRequest, 'transaction' | 'spent'>,
  { settlement, ftUnit, delivered }: Delivery,
  { terms, shares, invested, kept }: CommittedPlan,
): void {
  const at = ({ address }: { readonly address: string }) => address === settlement;
  const inputs = spent.filter(at);
  assertAllowed(inputs.length === 1 && transaction.outputs.filter(at).length === 1, 'it divides the settlement');
  const investors = delivered.filter((one) => one.invested > 0n);
  if (investors.length === delivered.length) return;
  const { lovelace, assets } = sumOf(inputs);
  const come = investors.reduce((sum, one) => sum + one.invested, lovelace);
  assertAllowed(
    kept === invested || come <= kept + LARGEST_FLOAT,
    `${come} lovelace have come in, of which ${kept} are said to be kept`,
  );
  const held = (assets.get(ftUnit) ?? 0n) - investors.reduce((sum, { ft }) => sum + ft, 0n);
  const forInvestors = investorsPart(terms);
  const others = terms.supply - forInvestors;
  // Each part is rounded.
  const reclaimed = kept < invested ? (forInvestors * (invested - kept)) / invested + BigInt(shares.size) : 0n;
  assertAllowed(held <= others + reclaimed, `${held - others - reclaimed} tokens of investors are not delivered yet`);
}

/** The tokens of all investors. */
function investorsPart({ supply, ftPercentage, lpPercentage }: CommittedPlan['terms']): bigint {
  const shared = supply - (supply * lpPercentage) / (2n * FULL_SHARE);
  return (shared * ftPercentage) / FULL_SHARE;
}

/**
 * Throws unless each contribution counts with what its price and the terms of the vault give for what it holds. Where a price is not
 * sealed, that is no more than what the market says now, of which half and twice are just.
 */
export function requireValuedAsPriced(
  shares: readonly PlannedShare[],
  { prices, floorPricePercentage, maxShare }: CountedPrices,
): void {
  const contributions = shares.flatMap((share) =>
    [...share.contributed].map(([unit, quantity]) => {
      const ref = refText(share.deposit);
      const counted = prices.get(ref);
      assertAllowed(counted !== undefined, `nothing says what ${ref} counts with`);
      const { price, depositOrder } = counted;
      const policyId = policyOf(unit);
      const asset = { ...depositOrder, policyId, assetName: unit.slice(policyId.length) };
      const value = valueOf(baseUnits(quantity), price, floorPricePercentage);
      return { asset, policyId, price, value, isSealed: counted.isSealed, planned: share.value, ref };
    }),
  );
  const areSealed = contributions.every(({ isSealed }) => isSealed);
  for (const { ref, price, planned, value, isSealed } of withinShare(withinMarket(contributions), maxShare)) {
    // What one counts with depends on the others where their market or their policy is bounded.
    const isAlone = price.marketLimit === undefined && maxShare >= FULL_SHARE;
    const isExact = areSealed || (isSealed && isAlone);
    const isJust = isExact ? planned === value : isNear({ lovelace: planned }, { lovelace: value });
    assertAllowed(isJust, `${ref} counts with ${planned} lovelace instead of ${value}`);
  }
}

/** More than any delivery deposit: what a deposit holds beyond it is invested. */
const LARGEST_DELIVERY_DEPOSIT = 20_000_000n;

/** Throws unless an output is a deposit of the owner to whom something is owed for it, and holds what they have invested. */
export function requireDeposit(
  { networkId }: Pick<SigningRequest, 'networkId'>,
  vault: VaultAddresses,
  held: Utxo,
  { owner, invested }: Pick<OwedDelivery, 'owner' | 'invested'>,
): void {
  const { address } = depositAddressOf(vault, paymentKeyHashOf(owner), networkId);
  requireInputsAt({ spent: [held] }, [address]);
  const kept = held.lovelace - invested;
  assertAllowed(kept >= 0n && kept <= LARGEST_DELIVERY_DEPOSIT, `${refText(held)} does not hold its investment`);
  assertAllowed(invested === 0n || held.assets.size === 0, `${refText(held)} holds assets besides its investment`);
}

/**
 * Throws unless what is owed for each deposit is what the plan gives for it. From T on, when owners may have taken investments back, it is
 * the same part of the ADA that is left.
 */
export function requireAsCommitted(
  { slot }: Pick<SigningRequest, 'slot'>,
  { settlesBySlot }: Pick<VaultAddresses, 'settlesBySlot'>,
  delivered: readonly OwedDelivery[],
  { terms, shares, invested, value, kept }: CommittedPlan,
): void {
  const isRevised = kept !== invested;
  assertAllowed(
    !isRevised || (kept < invested && slot >= settlesBySlot),
    `${kept} of ${invested} invested lovelace are left`,
  );
  const remaining = { total: kept - liquidityLovelace(kept, terms), weights: value };
  for (const { deposit, owner, invested: amount, ft, lovelace } of delivered) {
    const planned = shares.get(refText(deposit));
    assertAllowed(
      planned?.owner === owner && planned.invested === amount && planned.ft === ft,
      `the mint has committed to another share for ${refText(deposit)}`,
    );
    const isJust = isRevised
      ? lovelace <= planned.lovelace && isPartOf({ ...remaining, part: lovelace, weight: planned.value })
      : lovelace === planned.lovelace;
    assertAllowed(isJust, `the mint has committed to another share of the ADA for ${refText(deposit)}`);
  }
}

interface Part {
  readonly total: bigint;
  readonly part: bigint;
  readonly weight: bigint;
  /** The sum of the weights of all parts. */
  readonly weights: bigint;
}

/** Whether a part of a total is what its weight gives it, rounded down or up. */
function isPartOf({ total, part, weight, weights }: Part): boolean {
  if (weights === 0n) return part === 0n;
  const least = (total * weight) / weights;
  return part === least || part === least + 1n;
}
