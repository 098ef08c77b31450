import { expect, test } from '@jest/globals';
import { mint } from '../../test/signing-policy/settlement-samples.ts';
import { requireCommittedPlan } from './mint.ts';
import { decodeTransaction } from './decoder.ts';

const { metadata } = decodeTransaction(mint.built.cbor);
const refused = expect.objectContaining({
  code: 'TRANSACTION_NOT_JUSTIFIED',
  details: { reason: 'the mint of its vault has committed to nothing' },
});

test('nothing of a vault is evaluated by rows alone: a mint that commits to nothing is refused', () => {
  expect(requireCommittedPlan({ metadata })).toMatchObject({ shares: mint.evidence.plan.shares.length });
  const more = new Map([...(metadata ?? []), [721, 'a picture']]);
  for (const other of [
    null,
    new Map(),
    new Map([[868_485, 'a text']]),
    new Map([[868_485, new Map([['v', 2]])]]),
    more,
  ])
    expect(() => requireCommittedPlan({ metadata: other })).toThrow(refused);
});
