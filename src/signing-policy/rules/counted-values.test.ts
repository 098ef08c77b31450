import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Price } from '../../prices/rules.ts';
import { distributeToCounted } from '../../settlement/rules/deposits.ts';
import { instant } from '../../platform/units/time.ts';
import { baseUnits, basisPoints, FULL_SHARE, lovelace } from '../../platform/units/money.ts';
import { requireValuedAsPriced } from './settlement.ts';

const ADA = 1_000_000n;
const at = instant(0);

/** Throws unless the worker finds what counts of these deposits of whole tokens of an ADA valued as it was priced. */
function evaluatePlan(
  deposits: readonly { policy: string; quantity: bigint; marketLimit: bigint | undefined }[],
  terms: Record<'share' | 'supply' | 'ftPercentage', bigint>,
): void {
  const assets = deposits.map(({ policy, quantity, marketLimit }, position) => {
    const price: Price = { lovelace: lovelace(ADA), decimals: 0, asOf: at, source: 'market' };
    const limited = marketLimit === undefined ? price : { ...price, marketLimit: lovelace(marketLimit * ADA) };
    return { id: String(position), policyId: policy.repeat(56), quantity, price: limited, at: instant(position) };
  });
  const plan = distributeToCounted({
    supply: baseUnits(terms.supply),
    ftPercentage: basisPoints(terms.ftPercentage),
    lpPercentage: basisPoints(2_000n),
    reserve: basisPoints(500n),
    maxShare: basisPoints(terms.share),
    contributors: assets.map(({ quantity, price: { marketLimit }, ...one }) => {
      return { ...one, assetName: '', wallet: one.id, value: lovelace(quantity * ADA), marketLimit, lockedAt: one.at };
    }),
    investors: [{ id: 'investor', wallet: 'investor', lovelace: lovelace(10_000n * ADA), at }],
  });
  if (plan.kind === 'fails') return;
  const values = new Map(plan.counted.map(({ id, value }) => [id, value]));
  const shares = assets.flatMap(({ id, policyId, quantity }) => {
    const value = values.get(id);
    const none = { owner: id, invested: lovelace(0n), ft: baseUnits(0n), lovelace: lovelace(0n) };
    const deposit = { txHash: id, index: 0 };
    return value === undefined ? [] : [{ ...none, deposit, value, contributed: new Map([[policyId, quantity]]) }];
  });
  const prices = assets.map(({ id, price, at: addedAt }) => {
    return [`${id}#0`, { price, isSealed: true, depositOrder: { id, addedAt, lockedAt: addedAt } }] as const;
  });
  const maxShare = basisPoints(terms.share);
  requireValuedAsPriced(shares, { prices: new Map(prices), floorPricePercentage: FULL_SHARE, maxShare });
}

test('whatever goes back, the worker finds the rest valued as priced: otherwise it would sign no mint until T', () => {
  const deposit = fc.record({
    policy: fc.constantFrom('a', 'b', 'c'),
    quantity: fc.oneof(fc.bigInt({ min: 1n, max: 50n }), fc.bigInt({ min: 100n, max: 3_000n })),
    marketLimit: fc.constantFrom(undefined, 200n, 1_000n),
  });
  const terms = fc.record({
    share: fc.constantFrom(10_000n, 6_000n, 4_000n),
    supply: fc.constantFrom(100n, 1_000_000n),
    ftPercentage: fc.constantFrom(1_000n, 5_000n),
  });
  fc.assert(
    fc.property(fc.array(deposit, { minLength: 1, maxLength: 8 }), terms, (deposits, ofVault) => {
      expect(() => {
        evaluatePlan(deposits, ofVault);
      }).not.toThrow();
    }),
    { numRuns: 1_000 },
  );
});
