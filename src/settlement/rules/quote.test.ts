import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { instant } from '../../platform/units/time.ts';
import { baseUnits, basisPoints, type Lovelace, lovelace } from '../../platform/units/money.ts';
import { countAssets } from './deposits.ts';
import type { Investment, SettlementInput } from './distribution.ts';
import { evaluateFdv } from './fdv-bounds.ts';
import { quote, draftQuote, finishQuote, type QuoteDraft, shareQuestion, type SharesOfOthers } from './quote.ts';

const amount = (max: bigint) => fc.bigInt({ min: 1n, max }).map(lovelace);
const investor = fc.record({
  lovelace: fc.oneof(amount(50n), amount(1_000_000n)),
  minVaultValue: fc.constantFrom(0n, 0n, 500n, 5_000n).map(lovelace),
  maxFdv: fc.option(fc.oneof(amount(5_000n), amount(10_000_000n)), { nil: null, freq: 3 }),
});
const vault = fc.record({
  supply: fc.bigInt({ min: 1n, max: 10_000_000n }).map(baseUnits),
  ftPercentage: fc.bigInt({ min: 1_000n, max: 10_000n }).map(basisPoints),
  lpPercentage: fc.bigInt({ min: 0n, max: 2_000n }).map(basisPoints),
  reserve: fc.bigInt({ min: 0n, max: 1_000n }).map(basisPoints),
  maxShare: fc.constantFrom(10_000n, 10_000n, 5_000n, 3_500n).map(basisPoints),
});

/** What Postgres adds up. */
function sharesOf(counted: readonly Investment[], draft: QuoteDraft): SharesOfOthers | null {
  const question = shareQuestion(draft);
  if (question === null) return null;
  const products = counted.map((investment) => investment.lovelace * question.investorsFt);
  return {
    units: products.reduce((sum, product) => sum + product / question.invested, 0n),
    ahead: products.filter((product) => product % question.invested >= question.remainder).length,
    belowOneUnit: products.filter((product) => product < question.invested).length,
  };
}

function quoteFromSums(input: SettlementInput, quoted: Lovelace) {
  const contributors = countAssets(input.contributors, input.maxShare).counted;
  const value = contributors.reduce((sum, one) => sum + one.value, 0n);
  const worthIt = input.investors.filter(({ minVaultValue = 0n }) => minVaultValue <= value);
  const own = { id: 'own', at: instant(9_000), lovelace: quoted };
  const { invested, above } = evaluateFdv([...worthIt, own], input.ftPercentage);
  const draft = draftQuote({ ...input, contributors }, lovelace(invested - quoted), quoted, instant(9_000));
  const counted = worthIt.filter(({ id }) => !above.has(id));
  return finishQuote(draft, sharesOf(counted, draft));
}

test('a quote from sums is to the unit the one from all investments', () => {
  let finished = 0;
  fc.assert(
    fc.property(
      vault,
      fc.array(amount(10_000n), { minLength: 1, maxLength: 4 }),
      fc.array(investor, { maxLength: 12 }),
      amount(1_000_000n),
      (terms, values, investors, quoted) => {
        const input: SettlementInput = {
          ...terms,
          contributors: values.map((value, index) => ({
            ...{ id: `c${index}`, wallet: 'c', policyId: `p${index}` },
            ...{ value, at: instant(index) },
          })),
          investors: investors.map((one, index) => ({ ...one, id: `i${index}`, wallet: 'i', at: instant(index) })),
        };
        const fromSums = quoteFromSums(input, quoted);
        if (fromSums === null) return;
        finished++;
        const full = quote(input, quoted, instant(9_000));
        const { kind, invested, fdv, lpLovelace } = full.distribution;
        expect(fromSums).toMatchObject({ ft: full.ft, returnReason: full.returnReason });
        expect(fromSums.distribution).toMatchObject({
          kind,
          invested,
          fdv,
          lpLovelace,
          value: full.distribution.value,
        });
      },
    ),
    { numRuns: 2_000 },
  );
  expect(finished).toBeGreaterThan(500);
});
