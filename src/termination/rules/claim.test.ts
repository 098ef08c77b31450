import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { instant } from '../../platform/units/time.ts';
import { payoutOf, type Pot } from './pot.ts';
import { baseUnits, lovelace } from '../../platform/units/money.ts';
import { type ClaimableVault, claimRefusal, claimsEnd, claimTransition, isStale, requirePayout } from './claims.ts';

const openedAt = instant(1_000);
const deadline = instant(2_000);
const potOf = (pot: bigint, circulating: bigint) => ({ lovelace: lovelace(pot), circulating: baseUnits(circulating) });
const vault = (changes: Partial<ClaimableVault> = {}): ClaimableVault => ({
  pot: potOf(900n, 100n),
  claimsOpenedAt: openedAt,
  claimDeadline: deadline,
  unclaimedLovelaceTo: 'addr_test1',
  ...changes,
});

describe('holders can claim', () => {
  test.each([
    ['before the vault ends', null, 1_500, 'CLAIMS_NOT_OPEN'],
    ['before the pot is gathered', vault({ claimsOpenedAt: null, claimDeadline: null }), 1_500, 'CLAIMS_NOT_OPEN'],
    ['from the opening on', vault(), 1_000, undefined],
    ['once the opening is recorded, also by a clock that is ahead', vault(), 999, undefined],
    ['up to the deadline', vault(), 1_999, undefined],
    ['at the deadline', vault(), 2_000, 'CLAIMS_CLOSED'],
    ['after it, when nobody else gets the rest', vault({ unclaimedLovelaceTo: null }), 9_000, undefined],
    ['once no tokens circulate', vault({ pot: potOf(0n, 0n) }), 1_500, 'CLAIMS_CLOSED'],
  ])('%s: %#', (_when, claimable, now, refusal) => {
    expect(claimRefusal(claimable, instant(now))).toBe(refusal);
  });

  test('without an end when nobody else gets what is left', () => {
    expect(claimsEnd(vault())).toBe(deadline);
    expect(claimsEnd(vault({ unclaimedLovelaceTo: null }))).toBeNull();
  });
});

describe('a payout', () => {
  const refusal = (code: string, details: object) => expect.objectContaining({ code, details }) as unknown as Error;

  test('of less than one lovelace is refused, with the smallest claim that pays', () => {
    const pays = (pot: Pot, amount: bigint) => () => requirePayout(pot, baseUnits(amount));
    expect(pays(potOf(3n, 10n), 3n)).toThrow(refusal('CLAIM_TOO_SMALL', { minimumBaseUnits: '4' }));
    expect(pays(potOf(3n, 10n), 4n)()).toBe(1n);
    expect(pays(potOf(0n, 10n), 10n)).toThrow(refusal('CLAIM_TOO_SMALL', { minimumBaseUnits: null }));
    expect(pays(potOf(3n, 10n), 11n)).toThrow(refusal('CLAIM_EXCEEDS_SUPPLY', { circulatingBaseUnits: '10' }));
  });

  test('that was asked for is always in the pot, whatever was asked for and paid before and after it', () => {
    // Each number stands once for asking and then once for confirmation, in any order.
    const schedules = fc.array(fc.bigInt({ min: 1n, max: 1_000n }), { minLength: 1, maxLength: 6 }).chain((amounts) => {
      const numbers = [...amounts.keys(), ...amounts.keys()];
      const all = { minLength: numbers.length, maxLength: numbers.length };
      return fc.record({ amounts: fc.constant(amounts), order: fc.shuffledSubarray(numbers, all) });
    });
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10_000n }), schedules, (inPot, { amounts, order }) => {
        const circulating = baseUnits(amounts.reduce((sum, amount) => sum + amount, 0n));
        let pot = { lovelace: lovelace(inPot), circulating };
        const asked = new Map<number, bigint>();
        for (const number of order) {
          const amount = baseUnits(amounts[number] ?? 0n);
          const payout = asked.get(number);
          if (payout === undefined) asked.set(number, payoutOf(pot, amount));
          // Throws when the pot has less.
          else pot = { lovelace: lovelace(pot.lovelace - payout), circulating: baseUnits(pot.circulating - amount) };
        }
        expect(pot.circulating).toBe(0n);
        // At most one lovelace a claim was rounded off.
        expect(pot.lovelace < BigInt(amounts.length)).toBe(true);
      }),
    );
  });
});

test('a claim that was paid or given up waits again only by a rollback', () => {
  for (const ended of ['PAID', 'EXPIRED', 'FAILED'] as const) {
    expect(claimTransition('PENDING', ended)).toBe(ended);
    expect(claimTransition(ended, 'PENDING', 'rollback')).toBe('PENDING');
    expect(() => claimTransition(ended, 'PENDING')).toThrow(expect.objectContaining({ code: 'INVALID_TRANSITION' }));
  }
});

test('a claim is stale once a sale has made its share larger, not by what the claims of others round off', () => {
  const claim = { amount: baseUnits(40n), payout: lovelace(4_000_000n) };
  const potOf = (inPot: bigint, circulating = 100n) => ({
    lovelace: lovelace(inPot),
    circulating: baseUnits(circulating),
  });
  expect(isStale(claim, potOf(10_000_000n))).toBe(false);
  expect(isStale(claim, potOf(10_000_900n))).toBe(false);
  expect(isStale(claim, potOf(10_025_000n))).toBe(true);
  // Whoever holds what is left gets all of it.
  expect(isStale(claim, potOf(4_500_000n, 40n))).toBe(true);
  expect(isStale(claim, potOf(4_500_000n, 39n))).toBe(false);
});
