import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { instant } from '../platform/units/time.ts';
import { baseUnits } from '../platform/units/money.ts';
import type { StakeSnapshot } from '../staking/rules.ts';
import { parseDecision, hasPowerIn, votingPowerIn, allocateVote } from './rules.ts';

const phases = {
  voting: { startsAt: instant(1_000), endsAt: instant(2_000) },
  execution: { startsAt: instant(3_000), endsAt: instant(4_000) },
};
const stake = (change: Partial<StakeSnapshot> = {}): StakeSnapshot => ({
  id: 's',
  wallet: 'w',
  amount: baseUnits(10n),
  status: 'ACTIVE',
  stakedAt: instant(0),
  finalAt: instant(500),
  ownerAloneFrom: instant(9_000),
  leaving: false,
  ...change,
});

test.each([
  ['yes', 'APPROVE'],
  ['Yes', 'APPROVE'],
  ['APPROVE', 'APPROVE'],
  ['no', 'REJECT'],
  ['ReJect', 'REJECT'],
  ['abstain', undefined],
  ['', undefined],
  ['constructor', undefined],
])('the word %j is read as %s', (word, decision) => {
  expect(parseDecision(word)).toBe(decision);
});

describe('a stake has power in a proposal', () => {
  test.each([
    ['final before voting began', { finalAt: instant(999) }, true],
    ['final as voting began', { finalAt: instant(1_000) }, false],
    ['not final', { finalAt: null }, false],
    ['locked in another proposal', { status: 'LOCKED' }, true],
    ['released', { status: 'RELEASED' }, false],
    ['on its way back', { leaving: true }, false],
    ['reclaimable by its owner only after the execution phase', { ownerAloneFrom: instant(4_001) }, true],
    ['reclaimable by its owner from the last instant on', { ownerAloneFrom: instant(4_000) }, false],
  ] as const)('%s: %j → %s', (_name, change, counts) => {
    expect(hasPowerIn(stake(change), phases)).toBe(counts);
    expect(votingPowerIn([stake(change)], phases)).toBe(counts ? 10n : 0n);
  });
});

describe('the power of a vote comes from', () => {
  const carried = (amount: bigint, ...stakes: readonly StakeSnapshot[]) =>
    allocateVote(baseUnits(amount), stakes, phases);

  test('the oldest stakes first, then by id, whatever their order', () => {
    const stakes = [
      stake({ id: 'young', stakedAt: instant(9) }),
      stake({ id: 'b', stakedAt: instant(3) }),
      stake({ id: 'a', stakedAt: instant(3) }),
    ];
    const parts = [
      { stakeId: 'a', amount: 10n },
      { stakeId: 'b', amount: 2n },
    ];
    expect(carried(12n, ...stakes)).toEqual(parts);
    expect(carried(12n, ...stakes.toReversed())).toEqual(parts);
  });

  test('only stakes with power in the proposal', () => {
    const late = stake({ id: 'late', finalAt: instant(1_500), amount: baseUnits(90n) });
    expect(carried(10n, late, stake())).toEqual([{ stakeId: 's', amount: 10n }]);
    const refusal = { code: 'INSUFFICIENT_VOTING_POWER', details: { required: '11', available: '10' } };
    expect(() => carried(11n, late, stake())).toThrow(expect.objectContaining(refusal));
    expect(() => carried(11n, late)).toThrow(expect.objectContaining({ code: 'NOT_STAKED_AT_SNAPSHOT' }));
    expect(() => carried(1n)).toThrow(expect.objectContaining({ code: 'NOT_STAKED_AT_SNAPSHOT' }));
    expect(() => carried(0n, stake())).toThrow(RangeError);
  });

  test('as few stakes as possible in that order, exact to the unit, none above its power', () => {
    const amounts = fc.array(fc.bigInt({ min: 0n, max: 10n ** 18n }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(amounts, fc.bigInt({ min: 1n, max: 10n ** 18n }), (rows, asked) => {
        const stakes = rows.map((amount, i) => stake({ id: `s${i}`, stakedAt: instant(i), amount: baseUnits(amount) }));
        const power = votingPowerIn(stakes, phases);
        fc.pre(power > 0n);
        const amount = asked > power ? power : asked;
        const uses = carried(amount, ...stakes);
        expect(uses.reduce((sum, use) => sum + use.amount, 0n)).toBe(amount);
        const powerOf = new Map(stakes.map(({ id, amount: all }) => [id, all]));
        uses.forEach((use, at) => {
          const all = powerOf.get(use.stakeId) ?? 0n;
          expect(use.amount > 0n && (at === uses.length - 1 ? use.amount <= all : use.amount === all)).toBe(true);
        });
      }),
    );
  });
});
