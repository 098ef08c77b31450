import { expect, test } from '@jest/globals';
import { readSettings } from './settings.ts';

test('LEDGER_BLOCK_MS sets the block time of the embedded ledger', () => {
  expect(readSettings({}).blockMs).toBe(1000);
  expect(readSettings({ LEDGER_BLOCK_MS: '250' }).blockMs).toBe(250);
  expect(() => readSettings({ LEDGER_BLOCK_MS: 'fast' })).toThrow('LEDGER_BLOCK_MS');
  expect(() => readSettings({ PORT: 'abc' })).toThrow('PORT: must be a whole number from 0 to 65535');
});

test('mainnet on the embedded ledger is refused before anything starts', () => {
  expect(() => readSettings({ NETWORK: 'mainnet' })).toThrow(/NETWORK is mainnet.*embedded ledger.*LEDGER_URL/);
  expect(readSettings({ NETWORK: 'mainnet', LEDGER_URL: 'https://ledger.example/api/v0' }).ledgerUrl).toBeDefined();
  expect(readSettings({ NETWORK: 'preprod' }).ledgerUrl).toBeUndefined();
});
