import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { distribute, type DistributionInput, reviseSettlement } from './distribution.ts';
import { instant } from '../../platform/units/time.ts';
import { baseUnits, basisPoints, lovelace } from '../../platform/units/money.ts';

const at = (ms: number) => instant(ms);
const contribution = (id: string, value: bigint, ms = 0) => ({ id, wallet: id, value: lovelace(value), at: at(ms) });
const investment = (id: string, amount: bigint, ms = 0) => ({ id, wallet: id, lovelace: lovelace(amount), at: at(ms) });

const golden: DistributionInput = {
  supply: baseUnits(1_000_000n),
  ftPercentage: basisPoints(5_000n),
  lpPercentage: basisPoints(2_000n),
  reserve: basisPoints(0n),
  contributors: [contribution('c1', 6_000n), contribution('c2', 4_000n)],
  investors: [investment('i1', 3_000n), investment('i2', 2_000n)],
};

function planned(input: DistributionInput) {
  const plan = distribute(input);
  if (plan.kind !== 'settles') throw new Error(plan.reason);
  return plan;
}

/** What was invested without some of the investments. */
function invested({ investors }: DistributionInput, ...reclaimed: readonly string[]) {
  const came = investors.filter(({ id }) => !reclaimed.includes(id));
  return lovelace(came.reduce((sum, row) => sum + row.lovelace, 0n));
}

test('the received ADA is split as planned: the liquidity share rounded down, the rest by value', () => {
  expect(reviseSettlement(planned(golden).contributors, golden, invested(golden, 'i2'))).toEqual({
    invested: 3_000n,
    lpLovelace: 600n,
    contributorsLovelace: 2_400n,
    contributors: [
      { id: 'c1', lovelace: 1_440n },
      { id: 'c2', lovelace: 960n },
    ],
  });
});

test('nobody is paid ADA if every investment is missing', () => {
  const { contributors, ...rest } = reviseSettlement(
    planned(golden).contributors,
    golden,
    invested(golden, 'i1', 'i2'),
  );
  expect(rest).toEqual({ invested: 0n, lpLovelace: 0n, contributorsLovelace: 0n });
  expect(contributors.map((share) => share.lovelace)).toEqual([0n, 0n]);
});

test('a unit that would exceed the plan of one contributor goes to the next one', () => {
  // The largest remainder shares 4 by 1 : 3 : 3 as 0, 2, 2, but 3 as 1, 1, 1.
  const input = {
    ...golden,
    lpPercentage: basisPoints(0n),
    contributors: [contribution('small', 1n), contribution('b', 3n), contribution('c', 3n)],
    investors: [investment('i1', 3n), investment('i2', 1n)],
  };
  const plan = planned(input).contributors;
  expect(plan.map((share) => share.lovelace)).toEqual([0n, 2n, 2n]);
  const { contributors } = reviseSettlement(plan, input, invested(input, 'i2'));
  expect(contributors.map((share) => share.lovelace)).toEqual([0n, 2n, 1n]);
});

const amount = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.bigInt({ min: 0n, max: 20n }));
const rows = fc.array(fc.tuple(amount, fc.nat(5), fc.boolean()), { minLength: 1, maxLength: 30 });
const anySettlement = fc
  .record({
    ftPercentage: fc.bigInt({ min: 100n, max: 10_000n }),
    lpPercentage: fc.bigInt({ min: 0n, max: 2_000n }),
    contributors: rows,
    investors: rows,
  })
  .map(({ ftPercentage, lpPercentage, contributors, investors }) => ({
    input: {
      ...golden,
      ftPercentage: basisPoints(ftPercentage),
      lpPercentage: basisPoints(lpPercentage > 2n * ftPercentage ? 2n * ftPercentage : lpPercentage),
      contributors: contributors.map(([value, ms], i) => contribution(`c${i}`, i === 0 ? value + 1n : value, ms)),
      investors: investors.map(([ada, ms], i) => investment(`i${i}`, i === 0 ? ada + 1n : ada, ms)),
    },
    reclaimed: new Set(investors.flatMap(([, , taken], i) => (taken ? [`i${i}`] : []))),
  }));

test('all received ADA is paid, nobody gets more than planned, and the plan holds if nothing is missing', () => {
  fc.assert(
    fc.property(anySettlement, ({ input, reclaimed }) => {
      const plan = planned(input);
      const revision = reviseSettlement(plan.contributors, input, invested(input, ...reclaimed));
      const came = input.investors.filter(({ id }) => !reclaimed.has(id));
      const paid = revision.contributors.reduce((sum, share) => sum + share.lovelace, 0n);
      expect(revision.invested).toBe(came.reduce((sum, row) => sum + row.lovelace, 0n));
      expect(paid).toBe(revision.contributorsLovelace);
      expect(paid + revision.lpLovelace).toBe(revision.invested);
      expect(revision.lpLovelace).toBeLessThanOrEqual(plan.lpLovelace);
      revision.contributors.forEach(({ id, lovelace: share }, position) => {
        expect(id).toBe(plan.contributors[position]?.id);
        expect(share).toBeLessThanOrEqual(plan.contributors[position]?.lovelace ?? 0n);
      });

      const unchanged = reviseSettlement(plan.contributors, input, invested(input));
      expect(unchanged).toMatchObject({ lpLovelace: plan.lpLovelace, invested: plan.invested });
      expect(unchanged.contributors).toEqual(
        plan.contributors.map(({ id, lovelace: share }) => ({ id, lovelace: share })),
      );
    }),
    { numRuns: 500 },
  );
});
