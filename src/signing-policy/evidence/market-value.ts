import type { Unit } from '../../cardano/transaction.ts';
import { policyOf } from '../../assets/rules/unit.ts';
import { type Price, valueOf } from '../../prices/rules/valuation.ts';
import { isPriceCompared, isSaleAtVotedPrice, valueWithin } from '../../executions/rules/market-value.ts';
import type { ProposalEffect } from '../../proposals/rules/effect.ts';
import { baseUnits, FULL_SHARE } from '../../platform/units/money.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';
import type { EvidenceContext } from './evidence-context.ts';

interface Traded {
  readonly approved: ProposalEffect;
  readonly effect: ProposalEffect;
  /** What is sold, in base units. */
  readonly assets: ReadonlyMap<Unit, bigint>;
  /** What the admin of the vault has set for assets that the market does not value: what is sold at a price of the vote counts with it. */
  readonly adminPrices: ReadonlyMap<Unit, Price>;
}

/**
 * The lovelace that the price feed gives for what is sold or bought, asked by the worker itself; null where the vote decided the price.
 * Throws PRICE_UNAVAILABLE.
 */
export async function tradedValue(
  { priceSource }: Pick<EvidenceContext, 'priceSource'>,
  vault: Pick<Vault, 'claimsOpen'>,
  { approved, effect, assets, adminPrices }: Traded,
): Promise<bigint | null> {
  if (!isPriceCompared(approved, vault)) return null;
  const traded =
    effect.type === 'BUY'
      ? new Map([[effect.terms.policyId + effect.terms.assetNameHex, BigInt(effect.terms.quantity)]])
      : assets;
  const isFixed = isSaleAtVotedPrice(approved);
  const values = [...traded].map(async ([unit, quantity]) => {
    const policyId = policyOf(unit);
    const ofAdmin = isFixed ? adminPrices.get(unit) : undefined;
    const price = ofAdmin ?? (await priceSource.priceOf({ policyId, assetName: unit.slice(policyId.length) }));
    return isFixed ? valueWithin(baseUnits(quantity), price) : valueOf(baseUnits(quantity), price, FULL_SHARE);
  });
  return (await Promise.all(values)).reduce((sum, value) => sum + value, 0n);
}
