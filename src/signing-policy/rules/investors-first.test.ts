import { expect, test } from '@jest/globals';
import { refusal } from '../../../test/signing-policy/refusal.ts';
import { ft, vault } from '../../../test/signing-policy/samples.ts';
import * as samples from '../../../test/signing-policy/settlement-samples.ts';
import { ServiceError } from '../../platform/errors.ts';
import { basisPoints, lovelace } from '../../platform/units/money.ts';
import { decodeTransaction } from '../decoder.ts';
import { requireInvestorsFirst } from './settlement.ts';

const { deliver } = samples;
const { owed, plan } = deliver.evidence;
const settlement = deliver.built.inputs.find(({ address }) => address === vault.settlement);
const [investor] = samples.plan.shares;
if (!settlement || !investor) throw new Error('the sample has no settlement or investor');

/** Why deposits are not delivered; null when they are. */
function request(delivered: typeof owed, change: Partial<typeof plan> = {}, spent = [settlement!]): string | null {
  const transaction = decodeTransaction(deliver.built.cbor);
  const by = { settlement: vault.settlement, ftUnit: ft, delivered };
  try {
    requireInvestorsFirst({ transaction, spent }, by, { ...plan, ...change });
    return null;
  } catch (error) {
    return error instanceof ServiceError ? String(error.details?.['reason']) : String(error);
  }
}

test('no contributor is paid while an investment is missing, which its owner could take back', () => {
  expect(request(owed)).toBeNull();
  expect(request([investor])).toBeNull();
  expect(request(owed.slice(1))).toMatch(/tokens of investors are not delivered yet/);
  const all = { plan: { ...plan, terms: { ...plan.terms, ftPercentage: basisPoints(10_000n) } } };
  expect(refusal('deliver', deliver, { evidence: all })).toMatch(/not delivered yet/);
});

test('contributors are paid after an investment was taken back, and not before the others', () => {
  const kept = plan.invested - investor.invested;
  const held = [{ ...settlement, lovelace: lovelace(6_000_000n) }];
  expect(request(owed.slice(1), { kept }, held)).toBeNull();
  expect(request(owed.slice(2), { kept }, held)).toMatch(/not delivered yet/);
});

test('contributors get no less because rows say that investments were taken back which have come in', () => {
  const kept = plan.invested - investor.invested;
  const held = [{ ...settlement, lovelace: lovelace(6_000_000n + investor.invested) }];
  expect(request(owed.slice(1), { kept }, held)).toMatch(/are said to be kept/);
});

test('a settlement lies in one output, so that its tokens cannot be elsewhere', () => {
  expect(request(owed, {}, [settlement, settlement])).toMatch(/divides the settlement/);
});
