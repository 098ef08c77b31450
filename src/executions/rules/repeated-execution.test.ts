import { expect, test } from '@jest/globals';
import type { ProposalEffect } from '../../proposals/rules/effects.ts';
import { instant } from '../../platform/units/time.ts';
import { baseUnits } from '../../platform/units/money.ts';
import { mayExecuteAgain, requirePartnerMayTry } from './execution.ts';

const end = instant(1000);
const sale = (buyerAddress: string | null): ProposalEffect => ({
  type: 'ASSET_SALE',
  assetIds: [],
  terms: { price: null, buyerAddress },
});
const purchase = (sellerAddress: string | null): ProposalEffect => ({
  type: 'BUY',
  assetIds: [],
  terms: { policyId: '', assetNameHex: '', quantity: baseUnits(1n), price: null, sellerAddress },
});
const staking: ProposalEffect = {
  type: 'STAKE',
  assetIds: [],
  terms: { direction: 'back', stakingAddress: 'holder' },
};

test.each([
  [sale('buyer'), 1, 999, true],
  [sale('buyer'), 3, 999, true],
  [sale('buyer'), 4, 999, false],
  [sale('buyer'), 1, 1000, false],
  [purchase('seller'), 4, 999, false],
  [staking, 4, 999, false],
  [sale(null), 4, 999, true],
  [sale(null), 1, 1000, false],
  [purchase(null), 4, 999, true],
])(
  '%j may be executed again after %i failures at %i of an execution phase until 1000: %p',
  (effect, count, now, may) => {
    expect(mayExecuteAgain({ effect, failures: count, executionEndsAt: end }, instant(now))).toBe(may);
  },
);

test('a wallet whom the vote did not name is refused after two failures', () => {
  const tryWith = (effect: ProposalEffect, failures: number) => () => {
    requirePartnerMayTry(effect, { wallet: 'stranger', failures });
  };
  expect(tryWith(sale(null), 1)).not.toThrow();
  const refusedAt = (field: string) => {
    const details = { wallet: 'stranger', failures: 2, errors: [expect.objectContaining({ field })] };
    return expect.objectContaining({ code: 'PARTNER_REFUSED', details });
  };
  expect(tryWith(sale(null), 2)).toThrow(refusedAt('action.details.buyer_address'));
  expect(tryWith(purchase(null), 2)).toThrow(refusedAt('action.details.seller_address'));
  expect(tryWith(sale('buyer'), 3)).not.toThrow();
});
