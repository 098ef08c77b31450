import { expect, test } from '@jest/globals';
import type { Utxo } from '../cardano/transaction.ts';
import { lovelace } from '../platform/units/money.ts';
import type { SentClaim } from './queries/claims.ts';
import { chainedOutputs } from './claim.ts';

const outputOf = (txHash: string): Utxo => {
  return { txHash, index: 0, address: 'pot', lovelace: lovelace(5n), assets: new Map() };
};

/** A claim out of the pot's outputs of other transactions. */
const claimAfter = (hash: string, ...producers: readonly string[]): SentClaim => {
  return { hash, spends: producers.map((producer) => `${producer}#0`), change: outputOf(hash) };
};

const chained = (sent: readonly SentClaim[], ...onLedger: readonly string[]) =>
  chainedOutputs(sent, onLedger.map(outputOf)).map(({ txHash }) => txHash);

test('the change of a signed claim can be spent, also of one after another, that of the shorter chain first', () => {
  const sent = [claimAfter('second', 'first'), claimAfter('first', 'gathered')];
  expect(chained(sent, 'gathered')).toEqual(['first', 'second']);
});

test('what another claim holds is left out, and counts in the chain', () => {
  const sent = [{ ...claimAfter('first', 'gathered'), change: null }, claimAfter('second', 'first')];
  expect(chained(sent, 'gathered')).toEqual(['second']);
});

test('a claim that a block has, of which nothing is recorded yet, begins a chain', () => {
  const sent = [claimAfter('second', 'first'), claimAfter('first', 'gathered')];
  expect(chained(sent, 'first')).toEqual(['first', 'second']);
});

test('nothing follows a claim whose inputs are gone, nor one after it', () => {
  expect(chained([claimAfter('second', 'first'), claimAfter('first', 'gathered')], 'another')).toEqual([]);
  expect(chained([claimAfter('second', 'gathered', 'a claim that failed')], 'gathered')).toEqual([]);
});

test('a chain has a bounded length, so that a claim that is never confirmed takes few others with it', () => {
  const names = Array.from({ length: 15 }, (_, index) => `claim ${index}`);
  const sent = names.map((name, index) => claimAfter(name, names[index - 1] ?? 'gathered'));
  expect(chained(sent, 'gathered')).toEqual(names.slice(0, 9));
});
