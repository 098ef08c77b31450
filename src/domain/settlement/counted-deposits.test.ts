import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { distributeToCounted } from './counted-deposits.ts';
import type { DistributionInput } from './distribution-input.ts';
import { instant } from '../units/instant.ts';
import { baseUnits, basisPoints, lovelace } from '../units/money.ts';

const ADA = 1_000_000n;
const at = (ms: number) => instant(ms);
const contribution = (id: string, value: bigint, ms = 0) => ({ id, wallet: id, value: lovelace(value), at: at(ms) });
const investment = (id: string, amount: bigint, ms = 0) => ({ id, wallet: id, lovelace: lovelace(amount), at: at(ms) });
const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);

function settled(input: DistributionInput) {
  const distribution = distributeToCounted(input);
  if (distribution.kind !== 'settles') throw new Error(`the vault fails: ${distribution.reason}`);
  return distribution;
}

const golden: DistributionInput = {
  supply: baseUnits(1_000_000n),
  ftPercentage: basisPoints(5_000n),
  lpPercentage: basisPoints(2_000n),
  reserve: basisPoints(1_000n),
  contributors: [contribution('c1', 7_500n * ADA), contribution('c2', 2_500n * ADA)],
  investors: [investment('i1', 4_000n * ADA), investment('i2', 1_000n * ADA)],
};

const bounded = (id: string, amount: bigint, minVaultValue: bigint) => ({
  ...investment(id, amount),
  minVaultValue: lovelace(minVaultValue),
});

test('an investment whose bound is above the value counts in nothing; one whose bound is met or absent does', () => {
  const value = 10_000n * ADA;
  const investors = [
    bounded('over', 3_000n * ADA, value + 1n),
    bounded('at', 1_000n * ADA, value),
    bounded('none', ADA, 0n),
  ];
  const { returned, invested, investors: shares } = settled({ ...golden, investors });
  expect(returned).toEqual([{ id: 'over', wallet: 'over', depositKind: 'investment', reason: 'value_below_bound' }]);
  expect(invested).toBe(1_001n * ADA);
  expect(shares.map(({ id }) => id)).toEqual(['at', 'none']);
});

test('a share of no unit is returned, whoever has it, and the vault settles as without it', () => {
  const supply = baseUnits(100n);
  const dust = { contributors: [contribution('crumb', 0n)], investors: [investment('mote', 1n)] };
  const withDust = settled({
    ...golden,
    supply,
    contributors: [...golden.contributors, ...dust.contributors],
    investors: [...golden.investors, ...dust.investors],
  });
  expect(withDust.returned).toEqual([
    { id: 'mote', wallet: 'mote', depositKind: 'investment', reason: 'share_below_one_unit' },
    { id: 'crumb', wallet: 'crumb', depositKind: 'asset', reason: 'share_below_one_unit' },
  ]);
  expect({ ...withDust, returned: [] }).toEqual(settled({ ...golden, supply }));
});

test('a vault whose investments all have bounds above its value fails and returns everything', () => {
  const investors = [bounded('one', 5_000n * ADA, 10_001n * ADA)];
  expect(distributeToCounted({ ...golden, investors })).toMatchObject({
    kind: 'fails',
    reason: 'reserve_not_reached',
    invested: 0n,
  });
});

test('what counts is conserved to the last unit, and nobody who counts gets nothing', () => {
  const amount = fc.bigInt({ min: 0n, max: 50n });
  const deposits = fc.array(fc.tuple(amount, fc.bigInt({ min: 0n, max: 200n })), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(deposits, deposits, fc.bigInt({ min: 10n, max: 400n }), (assets, investments, supply) => {
      const input = {
        ...golden,
        supply: baseUnits(supply),
        contributors: assets.map(([value], i) => contribution(`c${i}`, value)),
        investors: investments.map(([weight, bound], i) => bounded(`i${i}`, weight, bound)),
      };
      const plan = distributeToCounted(input);
      if (plan.kind === 'fails') return;
      const ids = [...plan.investors, ...plan.contributors, ...plan.returned].map(({ id }) => id);
      expect(ids.toSorted()).toEqual([...input.investors, ...input.contributors].map(({ id }) => id).toSorted());
      expect(plan.lpFt + sum([...plan.investors, ...plan.contributors].map(({ ft }) => ft))).toBe(supply);
      expect(plan.lpLovelace + sum(plan.contributors.map(({ lovelace: share }) => share))).toBe(plan.invested);
      expect(plan.investors.every(({ ft }) => ft > 0n)).toBe(true);
      expect(plan.contributors.every(({ ft, lovelace: share }) => ft + share > 0n)).toBe(true);
    }),
  );
});
