import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { distributeToCounted } from './deposits.ts';
import type { SettlementInput, Investment } from './distribution.ts';
import { fdvOf } from './fdv-bounds.ts';
import { instant } from '../../platform/units/time.ts';
import { baseUnits, basisPoints, FULL_SHARE, lovelace } from '../../platform/units/money.ts';

const ADA = 1_000_000n;
const at = (ms: number) => instant(ms);
const contribution = (id: string, value: bigint, policyId = id, ms = 0) => ({
  id,
  wallet: id,
  policyId,
  value: lovelace(value),
  at: at(ms),
});
const investment = (id: string, amount: bigint, ms = 0) => ({ id, wallet: id, lovelace: lovelace(amount), at: at(ms) });
const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);

function settled(input: SettlementInput) {
  const distribution = distributeToCounted(input);
  if (distribution.kind !== 'settles') throw new Error(`the vault fails: ${distribution.reason}`);
  return distribution;
}

const golden: SettlementInput = {
  supply: baseUnits(1_000_000n),
  ftPercentage: basisPoints(5_000n),
  lpPercentage: basisPoints(2_000n),
  reserve: basisPoints(1_000n),
  maxShare: FULL_SHARE,
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
const reasons = (input: SettlementInput) =>
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

test('investments with the highest bounds count, of equal ones as many as fit, and a bound that is exactly met holds', () => {
  const investors = [
    upTo('high', 1_000n * ADA, 6_000n * ADA),
    upTo('free', 1_000n * ADA, null),
    upTo('low', ADA, 3_999n * ADA),
    upTo('twin', 500n * ADA, 5_999n * ADA),
    upTo('other twin', 500n * ADA, 5_999n * ADA),
  ];
  // high and free make 4,000, with both twins 6,000: one twin alone is within its bound.
  expect(reasons({ ...golden, investors })).toEqual({ twin: 'fdv_above_bound', low: 'fdv_above_bound' });
  const met = investors.map((one) => (one.maxFdv === 5_999n * ADA ? { ...one, maxFdv: lovelace(6_000n * ADA) } : one));
  expect(reasons({ ...golden, investors: met })).toEqual({ low: 'fdv_above_bound' });
});

test('whoever names a bound that their own money breaks sends nobody else away', () => {
  const careful = upTo('careful', 4_000n * ADA, 12_000n * ADA);
  const honest = [careful, upTo('buyer', 1_000n * ADA, null)];
  const plan = settled({ ...golden, investors: honest });
  for (const bound of [12_000n * ADA, 12_001n * ADA, 1_000_000n * ADA]) {
    const giant = upTo('giant', 1_000_000n * ADA, bound);
    const { returned, ...others } = settled({ ...golden, investors: [giant, ...honest] });
    expect({ ...others, returned: [] }).toEqual(plan);
    expect(returned.map(({ id, reason }) => [id, reason])).toEqual([['giant', 'fdv_above_bound']]);
  }
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
      const tooDear = new Set(plan.returned.filter(({ reason }) => reason === 'fdv_above_bound').map(({ id }) => id));
      for (const { lovelace: weight, maxFdv } of investors.filter(({ id }) => tooDear.has(id)))
        expect(fdvOf(plan.invested + weight, input.ftPercentage) > (maxFdv ?? 0n)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('who takes out assets of small policies lowers neither the reserve nor takes the assets of a large one', () => {
  const input = { ...golden, maxShare: basisPoints(5_000n), investors: [investment('puppet', 20n * ADA)] };
  const large = contribution('large', 1_000n * ADA);
  const alone = { ...input, contributors: [large, contribution('small', 10n * ADA)] };
  expect(distributeToCounted(alone)).toMatchObject({ kind: 'fails', reason: 'no_assets', value: 0n });
  // With a third policy the vault settles without the large one, at what it is then worth.
  const others = [contribution('small', 10n * ADA), contribution('other', 10n * ADA)];
  expect(settled({ ...input, contributors: [large, ...others] })).toMatchObject({
    value: 20n * ADA,
    returned: [{ id: 'large', wallet: 'large', depositKind: 'asset', reason: 'share_of_value_capped' }],
  });
  // An asset that stays although it is lowered keeps the reserve up: 5 % of 225 ADA.
  const lowered = [contribution('large', 125n * ADA), contribution('small', 100n * ADA)];
  const poor = { ...input, contributors: lowered, investors: [investment('puppet', 11_249_999n)] };
  expect(distributeToCounted(poor)).toMatchObject({ kind: 'fails', reason: 'reserve_not_reached', value: 200n * ADA });
  expect(settled({ ...poor, investors: [investment('puppet', 11_250_000n)] }).returned).toEqual([]);
});

test('a giant whose bound breaks when a crumb goes back sends nobody away', () => {
  const value = 100_000n * ADA;
  const honest = Array.from({ length: 100 }, (_, i) => bounded(`h${i}`, 40n * ADA, 0n));
  const giant = bounded('giant', 50_000n * ADA, value + 1n);
  const contributors = [contribution('c', value), contribution('crumb', 1n)];
  const input = { ...golden, supply: baseUnits(1_000n), reserve: basisPoints(500n), contributors };
  expect(reasons({ ...input, investors: [giant, ...honest] })).toEqual({
    crumb: 'share_below_one_unit',
    giant: 'value_below_bound',
  });
});

test('in any order, the investments are evaluated as if the assets that go back had never come', () => {
  const values = fc.array(fc.oneof(fc.bigInt({ min: 0n, max: 3n }), fc.bigInt({ min: 50n, max: 5_000n })), {
    ...{ minLength: 1, maxLength: 8 },
  });
  const amount = fc.oneof(fc.bigInt({ min: 1n, max: 20n }), fc.bigInt({ min: 100n, max: 4_000n }));
  const bound = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 12_000n }));
  const investments = fc.array(fc.tuple(amount, bound), { minLength: 1, maxLength: 12 });
  const shares = fc.constantFrom(10_000n, 6_000n, 4_000n).map(basisPoints);
  fc.assert(
    fc.property(values, investments, shares, fc.bigInt({ min: 10n, max: 400n }), (assets, wanted, maxShare, supply) => {
      const contributors = assets.map((value, i) => contribution(`c${i}`, value, `p${i % 4}`));
      const investors = wanted.map(([weight, least], i) => bounded(`i${i}`, weight, least));
      const input = { ...golden, supply: baseUnits(supply), maxShare, contributors, investors };
      const plan = distributeToCounted(input);
      const turned = { ...input, contributors: contributors.toReversed(), investors: investors.toReversed() };
      const reversed = distributeToCounted(turned);
      expect(reversed.kind).toBe(plan.kind);
      if (plan.kind === 'fails' || reversed.kind === 'fails') return;
      const byId = (returned: typeof plan.returned) => new Map(returned.map((one) => [one.id, one.reason]));
      expect(byId(reversed.returned)).toEqual(byId(plan.returned));

      const staying = contributors.filter(({ id }) => !byId(plan.returned).has(id));
      const anew = settled({ ...input, contributors: staying });
      expect(anew.investors).toEqual(plan.investors);
      expect(anew.contributors).toEqual(plan.contributors);
    }),
    { numRuns: 2_000 },
  );
});
