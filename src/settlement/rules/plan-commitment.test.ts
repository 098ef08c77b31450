import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { finish } from '../../../test/signing-policy/finish.ts';
import { canonicalJson, leafOf, merkleTree } from '../../anchoring/rules/merkle.ts';
import { baseUnits, basisPoints, lovelace } from '../../platform/units/money.ts';
import { commitmentSteps, commitmentToTerms } from './plan-commitment.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const terms = {
  supply: baseUnits(1_000n),
  ftPercentage: basisPoints(5_000n),
  lpPercentage: basisPoints(0n),
  termination: { type: 'DAO', fdp: 0n },
} as never;
const amounts = fc.bigInt({ min: 0n, max: 2n ** 64n });
const share = fc.record({
  deposit: fc.record({ txHash: fc.stringMatching(/^[0-9a-f]{64}$/), index: fc.nat(9) }),
  owner: fc.string(),
  invested: amounts.map(lovelace),
  value: amounts.map(lovelace),
  ft: amounts.map(baseUnits),
  lovelace: amounts.map(lovelace),
  contributed: fc.constant(new Map()),
});

test('a plan has the root over its terms and the sorted canonical texts of its shares, also of many', () => {
  fc.assert(
    fc.property(fc.array(share, { maxLength: 100 }), (shares) => {
      const texts = shares.map(({ deposit, owner, ...numbers }) => {
        const { invested, value, ft, lovelace: ada } = numbers;
        const fields = { invested: `${invested}`, value: `${value}`, ft: `${ft}`, lovelace: `${ada}` };
        const ref = `${deposit.txHash}#${deposit.index}`;
        return canonicalJson({ kind: 'planned_share', deposit: ref, owner, ...fields });
      });
      const header = commitmentToTerms(sha256, terms);
      const { root } = merkleTree(sha256, [header, ...texts.sort().map((text) => leafOf(sha256, text))]);
      const committed = finish(commitmentSteps(sha256, { terms, shares }));
      expect(committed).toEqual({ terms: header, root, shares: shares.length });
    }),
  );
});
