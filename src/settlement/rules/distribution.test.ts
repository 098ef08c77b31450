import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { distributeToCounted } from './deposits.ts';
import { distribute, type DistributionInput } from './distribution.ts';
import { quote } from './quote.ts';
import { instant } from '../../platform/units/time.ts';
import { baseUnits, basisPoints, FULL_SHARE, lovelace } from '../../platform/units/money.ts';

const ADA = 1_000_000n;
const at = (ms: number) => instant(ms);
const contribution = (id: string, value: bigint, ms = 0) => ({ id, wallet: id, value: lovelace(value), at: at(ms) });
const investment = (id: string, amount: bigint, ms = 0) => ({ id, wallet: id, lovelace: lovelace(amount), at: at(ms) });
const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);

function settled(input: DistributionInput) {
  const distribution = distribute(input);
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

describe('the golden vector', () => {
  test('splits FT and ADA as the design describes', () => {
    expect(settled(golden)).toEqual({
      kind: 'settles',
      value: 10_000n * ADA,
      invested: 5_000n * ADA,
      fdv: 10_000n * ADA,
      reserveRequired: 500n * ADA,
      reserveMet: true,
      lpLovelace: 1_000n * ADA,
      lpFt: 100_000n,
      investorsFt: 450_000n,
      contributorsFt: 450_000n,
      contributorsLovelace: 4_000n * ADA,
      investors: [
        { id: 'i1', wallet: 'i1', ft: 360_000n },
        { id: 'i2', wallet: 'i2', ft: 90_000n },
      ],
      contributors: [
        { id: 'c1', wallet: 'c1', ft: 337_500n, lovelace: 3_000n * ADA },
        { id: 'c2', wallet: 'c2', ft: 112_500n, lovelace: 1_000n * ADA },
      ],
    });
  });
});

describe('a vault fails', () => {
  const reasonOf = (change: Partial<DistributionInput>) => {
    const distribution = distribute({ ...golden, ...change });
    return distribution.kind === 'fails' ? distribution.reason : distribution.kind;
  };

  test('one lovelace below the reserve, and settles exactly at it', () => {
    expect(reasonOf({ investors: [investment('i', 500n * ADA - 1n)] })).toBe('reserve_not_reached');
    expect(reasonOf({ investors: [investment('i', 500n * ADA)] })).toBe('settles');
  });

  test('only below the exact reserve, also if that is not a whole lovelace', () => {
    // V·a·r = 1001 · 0.5 · 0.1 = 50.05: 50 lovelace are below it, 51 are not.
    const change = { contributors: [contribution('c', 1_001n)] };
    expect(reasonOf({ ...change, investors: [investment('i', 50n)] })).toBe('reserve_not_reached');
    expect(reasonOf({ ...change, investors: [investment('i', 51n)] })).toBe('settles');
  });

  test('without an investment, whatever the reserve', () => {
    expect(reasonOf({ investors: [] })).toBe('reserve_not_reached');
    expect(reasonOf({ investors: [], reserve: basisPoints(0n) })).toBe('reserve_not_reached');
  });

  test('without assets, or with assets of no counted value', () => {
    expect(reasonOf({ contributors: [] })).toBe('no_assets');
    expect(reasonOf({ contributors: [contribution('c', 0n)] })).toBe('no_assets');
  });

  test('when the liquidity share is below the minimum', () => {
    expect(reasonOf({ lpMinimum: lovelace(1_000n * ADA + 1n) })).toBe('lp_below_minimum');
    expect(reasonOf({ lpMinimum: lovelace(1_000n * ADA) })).toBe('settles');
  });

  test('with figures that show how much was missing', () => {
    const figures = { value: 10_000n * ADA, invested: 1n, reserveRequired: 500n * ADA, reserveMet: false };
    expect(distribute({ ...golden, investors: [investment('i', 1n)] })).toMatchObject(figures);
  });
});

test('at 100 % for investors, contributors get ADA only', () => {
  const { contributors, investorsFt, contributorsFt } = settled({ ...golden, ftPercentage: basisPoints(10_000n) });
  expect(contributorsFt).toBe(0n);
  expect(investorsFt).toBe(900_000n);
  expect(contributors.map(({ ft }) => ft)).toEqual([0n, 0n]);
  expect(sum(contributors.map((share) => share.lovelace))).toBe(4_500n * ADA);
});

test('an asset without counted value gets nothing', () => {
  const { contributors } = settled({ ...golden, contributors: [...golden.contributors, contribution('c3', 0n)] });
  expect(contributors[2]).toMatchObject({ ft: 0n, lovelace: 0n });
});

test('a left-over unit among equal investors goes to the earliest, then to the lower id', () => {
  const ftOf = (...times: number[]) => {
    const investors = times.map((ms, i) => investment(`i${i}`, 1_000n * ADA, ms));
    return settled({ ...golden, supply: baseUnits(10n), lpPercentage: basisPoints(0n), investors }).investors;
  };
  expect(ftOf(2, 1, 3).map(({ ft }) => ft)).toEqual([2n, 2n, 1n]);
  expect(ftOf(5, 5, 5).map(({ ft }) => ft)).toEqual([2n, 2n, 1n]);
  expect(ftOf(9, 1, 5).map(({ ft }) => ft)).toEqual([1n, 2n, 2n]);
});

test('the liquidity share does not depend on the rounding of the published FDV', () => {
  // A = 7, a = 30 %, ℓ = 60 %: ℓ·A/2a = 7 exactly, though A/a = 23.33 is published as 23.
  const { fdv, lpLovelace } = settled({
    ...golden,
    ftPercentage: basisPoints(3_000n),
    lpPercentage: basisPoints(6_000n),
    contributors: [contribution('c', 10n)],
    investors: [investment('i', 7n)],
  });
  expect({ fdv, lpLovelace }).toEqual({ fdv: 23n, lpLovelace: 7n });
});

test('impossible terms are refused', () => {
  expect(() => distribute({ ...golden, ftPercentage: basisPoints(0n) })).toThrow(RangeError);
  expect(() => distribute({ ...golden, ftPercentage: basisPoints(10_001n) })).toThrow(RangeError);
  expect(() => distribute({ ...golden, ftPercentage: basisPoints(999n) })).toThrow(RangeError);
});

const amount = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.bigInt({ min: 0n, max: 20n }));
const deposits = (maxLength: number) => fc.array(fc.tuple(amount, fc.nat(5)), { minLength: 1, maxLength });
const anyVault = (holders: number): fc.Arbitrary<DistributionInput> =>
  fc
    .record({
      supply: fc.bigInt({ min: 1n, max: 10n ** 18n }),
      ftPercentage: fc.bigInt({ min: 100n, max: 10_000n }),
      lpPercentage: fc.bigInt({ min: 100n, max: 2_000n }),
      contributors: deposits(holders),
      investors: deposits(holders),
    })
    .map(({ supply, ftPercentage, lpPercentage, contributors, investors }) => ({
      supply: baseUnits(supply),
      ftPercentage: basisPoints(ftPercentage),
      lpPercentage: basisPoints(lpPercentage > 2n * ftPercentage ? 2n * ftPercentage : lpPercentage),
      reserve: basisPoints(0n),
      // The first of each has weight, so that the vault settles.
      contributors: contributors.map(([value, ms], i) => contribution(`c${i}`, i === 0 ? value + 1n : value, ms)),
      investors: investors.map(([ada, ms], i) => investment(`i${i}`, i === 0 ? ada + 1n : ada, ms)),
    }));

function expectConserved(input: DistributionInput) {
  const { investors, contributors, ...plan } = settled(input);
  const lent = sum(input.investors.map((row) => row.lovelace));
  expect(sum([...investors, ...contributors].map(({ ft }) => ft)) + plan.lpFt).toBe(input.supply);
  expect(sum(contributors.map((share) => share.lovelace)) + plan.lpLovelace).toBe(lent);
  expect(plan.investorsFt + plan.contributorsFt + plan.lpFt).toBe(input.supply);
  expect(sum(investors.map(({ ft }) => ft))).toBe(plan.investorsFt);
}

test('no unit is lost or created in any vault, up to 10^18 units', () => {
  fc.assert(
    fc.property(anyVault(40), (input) => {
      expectConserved(input);
    }),
    { numRuns: 300 },
  );
});

test('no unit is lost or created among 1,000 holders', () => {
  const full = fc.array(amount, { minLength: 1_000, maxLength: 1_000 });
  fc.assert(
    fc.property(anyVault(1), full, full, (vault, values, adas) => {
      expectConserved({
        ...vault,
        contributors: values.map((value, i) => contribution(`c${i}`, value + (i === 0 ? 1n : 0n), i % 7)),
        investors: adas.map((ada, i) => investment(`i${i}`, ada + (i === 0 ? 1n : 0n), i % 7)),
      });
    }),
    { numRuns: 10 },
  );
});

test('more ADA never gets fewer FT, and more value never gets less FT or ADA', () => {
  fc.assert(
    fc.property(anyVault(25), (input) => {
      const { investors, contributors } = settled(input);
      const ft = input.investors.map((row, i) => [row.lovelace, investors[i]!.ft] as const);
      const keptFt = input.contributors.map((row, i) => [row.value, contributors[i]!.ft] as const);
      const proceeds = input.contributors.map((row, i) => [row.value, contributors[i]!.lovelace] as const);
      expect([ft, keptFt, proceeds].map(isMonotonic)).toEqual([true, true, true]);
    }),
  );
});

function isMonotonic(rows: readonly (readonly [weight: bigint, part: bigint])[]): boolean {
  return rows.every(([weight, part]) => rows.every(([other, otherPart]) => weight <= other || part >= otherPart));
}

test('investing more in the same vault never gets fewer FT', () => {
  fc.assert(
    fc.property(anyVault(25), amount, (input, more) => {
      const [first, ...others] = input.investors;
      const raised = { ...first!, lovelace: lovelace(first!.lovelace + more) };
      const before = settled(input).investors[0]!.ft;
      expect(settled({ ...input, investors: [raised, ...others] }).investors[0]!.ft).toBeGreaterThanOrEqual(before);
    }),
  );
});

const uncapped = (input: DistributionInput) => ({
  ...input,
  maxShare: FULL_SHARE,
  contributors: input.contributors.map((contributor) => ({ ...contributor, policyId: contributor.id })),
});

test('a quote equals what the settlement pays', () => {
  fc.assert(
    fc.property(anyVault(25), amount, (input, ada) => {
      const whole = uncapped(input);
      const quoted = quote(whole, lovelace(ada), at(10));
      const investors = [...input.investors, investment('real', ada, 11)];
      const paid = distributeToCounted({ ...whole, investors });
      const shares = paid.kind === 'settles' ? paid.investors : [];
      expect(quoted.ft).toBe(shares.find(({ id }) => id === 'real')?.ft ?? 0n);
    }),
  );
});

test('the required reserve is that of the own values of the assets, whatever they count with', () => {
  const capped = { ...contribution('capped', 1_000n * ADA), ownValue: lovelace(1_250n * ADA) };
  const { value, reserveRequired } = settled({ ...golden, contributors: [capped] });
  // 10 % of the half that investors buy.
  expect({ value, reserveRequired }).toEqual({ value: 1_000n * ADA, reserveRequired: 62_500_000n });
});

test('a quote for a vault that would fail promises no FT', () => {
  const { ft, distribution } = quote({ ...uncapped(golden), investors: [] }, lovelace(5n * ADA), at(0));
  expect(ft).toBe(0n);
  expect(distribution).toMatchObject({ kind: 'fails', reason: 'reserve_not_reached' });
});
