import { expect, test } from '@jest/globals';
import { lovelace } from '../../domain/units/money.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import type { Vault } from '../../store/vaults.ts';
import { settlementOutput } from './settlement-state.ts';

const output = (txHash: string) => ({
  txHash,
  index: 0,
  address: 'a',
  lovelace: lovelace(1n),
  assets: new Map([[`token of ${txHash}`, 1n]]),
});

function transaction(kind: 'mint' | 'deliver', hash: string, spends: string, state = 'final') {
  return { kind, hash, state, inputs: [output(spends)], outputs: [output(hash)] } as unknown as ChainTransaction;
}

const vault = { id: 'v', ftUnit: 'token of mint' } as Vault;

test('a delivery that was built first and landed last leaves the output that the next one spends', () => {
  const mint = transaction('mint', 'mint', 'operator');
  const last = transaction('deliver', 'last', 'first');
  const first = transaction('deliver', 'first', 'mint');
  const given = transaction('deliver', 'given up', 'last', 'expired');
  const transactions = [mint, last, first, given];
  expect(settlementOutput({ vault, transactions }).txHash).toBe('last');
  expect(settlementOutput({ vault, transactions }, ['mint']).txHash).toBe('mint');
  expect(() => settlementOutput({ vault, transactions: [given] })).toThrow('not on the ledger');
});

test('a second mint that landed is left out of the settlement, whenever it was built', () => {
  const mint = transaction('mint', 'mint', 'operator');
  const second = transaction('mint', 'second', 'other operator');
  for (const transactions of [
    [mint, second],
    [second, mint],
  ])
    expect(settlementOutput({ vault, transactions }).txHash).toBe('mint');
});
