import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { distributeToCounted } from './counted-deposits.ts';
import type { DistributionInput, Investment } from './distribution-input.ts';
import { fdvOf } from './fdv-bounds.ts';
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

const upTo = (id: string, amount: bigint, maxFdv: bigint | null): Investment => ({
  ...investment(id, amount),
  maxFdv: maxFdv === null ? null : lovelace(maxFdv),
});
const reasons = (input: DistributionInput) =>
  Object.fromEntries(settled(input).returned.map(({ id, reason }) => [id, reason]));

test('a seller who invests at the last second dilutes nobody who has named the highest FDV they pay', () => {
  // Investors pay half of the FDV: 5,000 ADA buy at 10,000 ADA, and 50,000 more of the seller would make it 110,000.
  const careful = upTo('careful', 4_000n * ADA, 12_000n * ADA);
  const investors = [careful, upTo('careless', 1_000n * ADA, null)];
  expect(settled({ ...golden, investors })).toMatchObject({ returned: [], fdv: 10_000n * ADA });
  const seller = upTo('seller', 50_000n * ADA, null);
  const diluted = settled({ ...golden, investors: [...investors, seller] });
  expect(diluted).toMatchObject({
    invested: 51_000n * ADA,
    fdv: 102_000n * ADA,
    returned: [{ id: 'careful', wallet: 'careful', depositKind: 'investment', reason: 'fdv_above_bound' }],
  });
});

test('investments with the highest bounds count, equal bounds go back together, and a bound that is exactly met holds', () => {
  const investors = [
    upTo('high', 1_000n * ADA, 6_000n * ADA),
    upTo('free', 1_000n * ADA, null),
    upTo('low', ADA, 3_999n * ADA),
    upTo('twin', 500n * ADA, 5_999n * ADA),
    upTo('other twin', 500n * ADA, 5_999n * ADA),
  ];
  // high and free make 4,000, with both twins 6,000: one twin alone would have been within its bound.
  expect(reasons({ ...golden, investors })).toEqual({
    twin: 'fdv_above_bound',
    'other twin': 'fdv_above_bound',
    low: 'fdv_above_bound',
  });
  const met = investors.map((one) => (one.maxFdv === 5_999n * ADA ? { ...one, maxFdv: lovelace(6_000n * ADA) } : one));
  expect(reasons({ ...golden, investors: met })).toEqual({ low: 'fdv_above_bound' });
});

test('an investment whose FDV is met only because another goes back for the value counts', () => {
  const value = 10_000n * ADA;
  const demanding = bounded('demanding', 20_000n * ADA, value + 1n);
  const investors = [demanding, upTo('limited', 2_000n * ADA, 4_000n * ADA)];
  expect(reasons({ ...golden, investors })).toEqual({ demanding: 'value_below_bound' });
});

test('a vault that misses its reserve without the investments above their bounds fails', () => {
  const investors = [upTo('tight', 400n * ADA, 900n * ADA), upTo('free', 100n * ADA, null)];
  expect(distributeToCounted({ ...golden, investors })).toMatchObject({ kind: 'fails', reason: 'reserve_not_reached' });
});

test('in any order, every bound of what counts holds, no more could count, and nothing else changes', () => {
  const amount = fc.bigInt({ min: 1n, max: 60n });
  const bound = fc.option(fc.bigInt({ min: 1n, max: 900n }), { freq: 3 });
  const anyInvestment = fc.tuple(amount, bound, fc.bigInt({ min: 0n, max: 250n }));
  const assets = fc.array(fc.bigInt({ min: 0n, max: 50n }), { minLength: 1, maxLength: 8 });
  const investments = fc.array(anyInvestment, { minLength: 1, maxLength: 12 });
  const supplies = fc.bigInt({ min: 10n, max: 4_000n });
  const percentages = fc.bigInt({ min: 1_000n, max: 10_000n });
  fc.assert(
    fc.property(assets, investments, supplies, percentages, (values, wanted, supply, percentage) => {
      const input = {
        ...golden,
        supply: baseUnits(supply),
        ftPercentage: basisPoints(percentage),
        contributors: values.map((value, i) => contribution(`c${i}`, value)),
        investors: wanted.map(([weight, maxFdv, least], i) => ({
          ...upTo(`i${i}`, weight, maxFdv),
          minVaultValue: lovelace(least),
        })),
      };
      const plan = distributeToCounted(input);
      const { contributors, investors } = input;
      const reversed = { ...input, contributors: contributors.toReversed(), investors: investors.toReversed() };
      const shares = (of: typeof plan) =>
        of.kind === 'fails'
          ? of
          : new Map([...of.investors, ...of.contributors, ...of.returned].map((one) => [one.id, one]));
      expect(shares(distributeToCounted(reversed))).toEqual(shares(plan));
      if (plan.kind === 'fails') return;

      const boundOf = (id: string) => investors.find((one) => one.id === id)?.maxFdv ?? null;
      for (const { id } of plan.investors) expect((boundOf(id) ?? plan.fdv) >= plan.fdv).toBe(true);
      const tooDear = plan.returned.filter(({ reason }) => reason === 'fdv_above_bound').map(({ id }) => id);
      const best = tooDear.map(boundOf).reduce<bigint>((most, one) => (one !== null && one > most ? one : most), 0n);
      const next = investors.filter(({ id, maxFdv }) => maxFdv === best && tooDear.includes(id));
      const withNext = plan.invested + sum(next.map(({ lovelace: weight }) => weight));
      expect(next.length === 0 || fdvOf(withNext, input.ftPercentage) > best).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
