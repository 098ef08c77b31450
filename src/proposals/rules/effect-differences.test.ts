import { describe, expect, test } from '@jest/globals';
import { ServiceError } from '../../platform/errors.ts';
import { baseUnits, lovelace } from '../../platform/units/money.ts';
import { type ProposalEffect, termsDiffer, frozenTermsDiffer } from './effects.ts';
import { requireApproved } from './approval.ts';

const sale = (price: bigint | null, buyerAddress: string | null, assetIds = ['a', 'b']): ProposalEffect => ({
  type: 'ASSET_SALE',
  assetIds,
  terms: { price: price === null ? null : lovelace(price), buyerAddress },
});
const purchase = (price: bigint | null, quantity = 1n): ProposalEffect => ({
  type: 'BUY',
  assetIds: [],
  terms: {
    policyId: 'p',
    assetNameHex: '00',
    quantity: baseUnits(quantity),
    price: price === null ? null : lovelace(price),
    sellerAddress: 'seller',
  },
});
const staking = (direction: 'out' | 'back', stakingAddress = 'pool'): ProposalEffect => ({
  type: 'STAKE',
  assetIds: ['a'],
  terms: { direction, stakingAddress },
});
const fieldsOf = (approved: ProposalEffect, asked: ProposalEffect) =>
  termsDiffer(approved, asked).map(({ field }) => field);

describe('an executed action must match the approved terms', () => {
  test.each([
    ['the same sale', sale(5n, 'x'), sale(5n, 'x'), []],
    ['its assets in another order, one twice', sale(5n, 'x'), sale(5n, 'x', ['b', 'a', 'b']), []],
    ['another price', sale(5n, 'x'), sale(6n, 'x'), ['action.details.price']],
    ['no price', sale(5n, 'x'), sale(null, 'x'), ['action.details.price']],
    ['another buyer', sale(5n, 'x'), sale(5n, 'y'), ['action.details.buyer_address']],
    ['a buyer and a price the vote left open', sale(null, null), sale(9n, 'y'), []],
    ['one asset less', sale(5n, 'x'), sale(5n, 'x', ['a']), ['action.details']],
    ['one asset more', sale(5n, 'x'), sale(5n, 'x', ['a', 'b', 'c']), ['action.details']],
    ['another asset', sale(5n, 'x'), sale(5n, 'x', ['a', 'c']), ['action.details']],
    ['another type', sale(5n, 'x'), staking('out'), ['action.type']],
    ['more of what is bought', purchase(5n), purchase(5n, 2n), ['action.details.quantity']],
    ['another direction', staking('out'), staking('back'), ['action.details.direction']],
    ['another staking address', staking('out'), staking('out', 'mine'), ['action.details.staking_address']],
  ])('%s', (_name, approved, asked, fields) => {
    expect(fieldsOf(approved, asked)).toEqual(fields);
  });

  test('and otherwise is refused with the differing fields', () => {
    const errors = [
      { code: 'ACTION_DIFFERS_FROM_APPROVED', field: 'action.details.price', message: 'The vote approved 5.' },
    ];
    expect(() => {
      requireApproved(sale(5n, 'x'), sale(4n, 'x'), lovelace(1n));
    }).toThrow(expect.objectContaining({ code: 'ACTION_DIFFERS_FROM_APPROVED', details: { errors } }));
  });

  test('and the messages use the field values of the request', () => {
    const said = (approved: ProposalEffect, asked: ProposalEffect) =>
      termsDiffer(approved, asked).map(({ message }) => message);
    expect(said(sale(5n, 'x'), staking('out'))).toEqual(['The vote approved sell_asset (ASSET_SALE).']);
    expect(said(sale(5n, 'x'), sale(null, 'x'))).toEqual(['Required: the vote approved 5.']);
    expect(frozenTermsDiffer(sale(5n, 'x'), sale(null, null)).map(({ message }) => message)).toEqual([
      'Required: the transaction was frozen with 5.',
    ]);
  });
});

describe('an executed action must match the frozen terms', () => {
  test.each([
    ['the same sale', sale(5n, 'x'), sale(5n, 'x'), []],
    ['without its buyer', sale(5n, 'x'), sale(5n, null), []],
    ['another buyer', sale(5n, 'x'), sale(5n, 'y'), ['action.details.buyer_address']],
    ['another price and asset', sale(5n, 'x'), sale(6n, 'x', ['a']), ['action.details', 'action.details.price']],
    ['no price', sale(5n, 'x'), sale(null, 'x'), ['action.details.price']],
    ['another type', sale(5n, 'x'), staking('out'), ['action.type']],
  ])('%s', (_name, frozen, asked, fields) => {
    expect(frozenTermsDiffer(frozen, asked).map(({ field }) => field)).toEqual(fields);
  });
});

describe('a price that is compared with the market', () => {
  test.each([
    ['a sale at the valuation', sale(null, null), sale(100n, 'x'), 100n, undefined],
    ['a sale a lovelace below it', sale(null, null), sale(99n, 'x'), 100n, 'PRICE_BELOW_VALUATION'],
    ['a sale without a price', sale(null, null), sale(null, 'x'), 100n, 'INVALID_REQUEST'],
    ['a sale without a valuation', sale(null, null), sale(99n, 'x'), null, 'PRICE_BELOW_VALUATION'],
    ['a sale at the approved price', sale(5n, 'x'), sale(5n, 'x'), null, undefined],
    ['a sale at the approved price, of a vault that ends', sale(5n, 'x'), sale(5n, 'x'), 100n, 'PRICE_BELOW_VALUATION'],
    ['a purchase at the valuation', purchase(null), purchase(100n), 100n, undefined],
    ['a purchase a lovelace above it', purchase(null), purchase(101n), 100n, 'PRICE_ABOVE_VALUATION'],
    ['a purchase without a valuation', purchase(null), purchase(1n), null, 'PRICE_ABOVE_VALUATION'],
    ['a purchase at the approved price', purchase(500n), purchase(500n), null, undefined],
    ['a staking, which has no price', staking('out'), staking('out'), null, undefined],
  ])('%s: %s', (_name, approved, asked, valuation, code) => {
    const outcome = () => {
      try {
        requireApproved(approved, asked, valuation === null ? null : lovelace(valuation));
        return undefined;
      } catch (refusal) {
        return refusal instanceof ServiceError ? refusal.code : refusal;
      }
    };
    expect(outcome()).toBe(code);
  });
});
