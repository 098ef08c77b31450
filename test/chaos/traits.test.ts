import { expect, test } from '@jest/globals';
import { seededRandom } from '../stack/lying-ledger.ts';
import { expectedOutcome } from './expected-outcome.ts';
import { lifeSteps, stepsOf } from './life-steps.ts';
import { nameOf, planOfSeed } from './plan.ts';
import { pointsOf } from './points.ts';
import { stakeOf } from './shares.ts';
import { claimWays, countContributors, drawTraits, endings, isSettled, sales, usualLives } from './traits.ts';

const drawn = Array.from({ length: 300 }, (_, seed) => drawTraits(seededRandom(seed)));

/** So many runs of chaos, with thirty stops each, reach everything. */
const SEEDS = 20;

test('the same seed draws the same traits', () => {
  expect(drawn.map((_, seed) => drawTraits(seededRandom(seed)))).toEqual(drawn);
});

test('over some hundred seeds every trait occurs, each flag both ways in vaults that are settled, and every step is taken', () => {
  const settled = drawn.filter(isSettled);
  expect(new Set(drawn.map(({ ending }) => ending))).toEqual(new Set(endings));
  for (const flag of ['removesAsset', 'withdrawsInvestment'] as const)
    expect([flag, new Set(drawn.map((traits) => traits[flag])).size]).toEqual([flag, 2]);
  for (const flag of ['getsGift', 'stakes', 'reclaimsStake', 'rotates'] as const)
    expect([flag, new Set(settled.map((traits) => traits[flag])).size]).toEqual([flag, 2]);
  expect(new Set(settled.map(({ sale }) => sale))).toEqual(new Set(sales));
  expect(new Set(settled.map(({ requiredCosigners }) => requiredCosigners))).toEqual(new Set([0, 1, 2]));
  expect(new Set(settled.flatMap(({ claims }) => claims))).toEqual(new Set(claimWays));
  for (const count of [countContributors, ({ investments }: { investments: readonly number[] }) => investments.length])
    expect(new Set(settled.map(count))).toEqual(new Set([1, 2, 3]));
  expect(stepsOf(drawn)).toEqual(lifeSteps);
});

test('whoever decides can decide: stakers reach the share of the supply that cosigners need, and somebody holds tokens', () => {
  for (const traits of drawn.filter(({ stakes }) => stakes))
    for (const holder of [0, countContributors(traits)])
      expect(stakeOf(traits, holder)).toBeGreaterThanOrEqual(100_000);
  for (const { stakes, sale, ending } of drawn)
    expect(stakes || (sale === 'never' && ending !== 'liquidated')).toBe(true);
});

test('a drawn vault ends for the reason that was drawn: the rules of the settlement agree', () => {
  for (const traits of drawn) expect(expectedOutcome(traits)).toMatchObject({ because: traits.ending });
});

test('the first seeds of chaos stop something at every point of every kind of life', () => {
  const stopped = Array.from({ length: SEEDS }, (_, before) => planOfSeed(before + 1, 30));
  const possible = pointsOf(drawn).map(nameOf);
  const reached = new Set(stopped.flat().map(({ point }) => nameOf(point)));
  expect(possible.filter((point) => !reached.has(point))).toEqual([]);
});

test('the usual life ends in known figures', () => {
  const [usual, failing] = usualLives.map(expectedOutcome);
  const ended = { status: 'TERMINATED', holds: [], supply: '1000000000000' };
  expect(usual).toEqual({
    ...ended,
    because: 'liquidated',
    lines: [
      'asset RELEASED handed_over',
      'asset RELEASED removed',
      'asset RELEASED sold',
      'claim 475000000000 PAID',
      'entitlement 237500000000 135000000',
      'entitlement 237500000000 135000000',
      'entitlement 475000000000 0',
      'investment 300000000 SETTLED',
      'investment 49000000 REFUNDED removed',
      'proposal EXECUTED',
      'proposal EXECUTED',
      'stake 1000000000 unstaked',
      'stake 285000000000 unstaked',
      'stake 285000000000 unstaked',
    ],
  });
  expect(failing).toEqual({ ...ended, because: 'no_assets', lines: ['investment 20000000 REFUNDED refunded'] });
});
