import { withinMarket, withinShare } from '../../../prices/rules/counted-values.ts';
import { policyOf } from '../../../assets/rules/unit.ts';
import { isNear, valueOf } from '../../../prices/rules/valuation.ts';
import type { PlannedShare } from '../../../settlement/rules/owed-delivery.ts';
import { refText } from '../../../transactions/rules/utxo-ref.ts';
import { baseUnits, FULL_SHARE } from '../../../platform/units/money.ts';
import type { CountedPrices } from '../../evidence.ts';
import { requireJust } from '../../judged.ts';

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
      requireJust(counted !== undefined, `nothing says what ${ref} counts with`);
      const { price, arrival } = counted;
      const policyId = policyOf(unit);
      const asset = { ...arrival, policyId, assetName: unit.slice(policyId.length) };
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
    requireJust(isJust, `${ref} counts with ${planned} lovelace instead of ${value}`);
  }
}
