import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { defaultDurationBounds } from '../domain/units/duration.ts';
import { loadApiConfig } from './api.ts';
import { loadWorkerConfig } from './worker.ts';

const complete = {
  DATABASE_URL: 'postgres://postgres:secret@127.0.0.1:5433/vaults',
  TEMPORAL_ADDRESS: '127.0.0.1:7233',
  NETWORK: 'preprod',
  LEDGER_URL: 'http://127.0.0.1:3100/api/v0',
  PRICE_FEED_URL: 'http://127.0.0.1:3101',
  ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  OPERATOR_MNEMONIC: `${'abandon '.repeat(23)}art`,
};

test('production uses the limits of the specification, finality after 15 blocks and no clock offset', () => {
  const config = loadApiConfig(complete);

  expect(config.rateLimits).toEqual({ default: 100, admin: 1000, windowSeconds: 900 });
  expect(config.ledger).toMatchObject({ embedded: false, blockMs: 20_000, confirmationDepth: 15 });
  expect(config.clockOffset).toBe('none');
});

test('the embedded ledger is final after 3 blocks of one second', () => {
  expect(loadApiConfig({ ...complete, LEDGER_EMBEDDED: 'true' }).ledger).toMatchObject({
    blockMs: 1000,
    confirmationDepth: 3,
  });
});

test('the api never reads the mnemonic, even if its environment has it', () => {
  expect(inspect(loadApiConfig(complete), { depth: null })).not.toContain('abandon');
  expect(loadWorkerConfig(complete).operatorMnemonic).toContain('abandon');
});

test('every missing or invalid variable is named, and no value is shown', () => {
  const { DATABASE_URL: _, ...rest } = complete;
  const wrong = { ...rest, PORT: '70000', ENCRYPTION_KEY: 'c2hvcnQ=', DURATION_BOUNDS: '{not json' };

  expect(() => loadApiConfig(wrong)).toThrow(/DATABASE_URL is not set/);
  expect(() => loadApiConfig(wrong)).toThrow(/PORT: /);
  expect(() => loadApiConfig(wrong)).toThrow(/ENCRYPTION_KEY: must be 32 bytes in base64/);
  expect(() => loadApiConfig(wrong)).toThrow(/DURATION_BOUNDS: must be JSON/);
  expect(() => loadApiConfig(wrong)).not.toThrow(/c2hvcnQ=|not json/);
});

test('an empty variable counts as not set', () => {
  expect(loadApiConfig({ ...complete, PORT: '' }).port).toBe(3000);
  expect(() => loadWorkerConfig({ ...complete, OPERATOR_MNEMONIC: '' })).toThrow(/OPERATOR_MNEMONIC is not set/);
});

test('only origins listed in CORS_ORIGINS may call the api, each written exactly as a browser sends it', () => {
  const origins = (text: string) => loadApiConfig({ ...complete, CORS_ORIGINS: text }).corsOrigins;

  expect(loadApiConfig(complete).corsOrigins).toEqual([]);
  expect(origins('https://app.example, http://127.0.0.1:5173')).toEqual([
    'https://app.example',
    'http://127.0.0.1:5173',
  ]);
  expect(origins('http://localhost:*')).toEqual(['http://localhost:*']);
  for (const wrong of [
    '*',
    '*:*',
    'https://*.example',
    'app.example',
    'https://app.example/',
    'https://app.example,',
    'file:///app',
  ]) {
    expect(() => origins(wrong)).toThrow(/CORS_ORIGINS.*must be scheme/);
  }
});

test('a deployment changes only the duration bounds that it sets', () => {
  const { durationBounds } = loadApiConfig({ ...complete, DURATION_BOUNDS: '{"assetWindow":{"min":5,"max":60}}' });

  expect(durationBounds).toEqual({ ...defaultDurationBounds, assetWindow: { min: 5, max: 60 } });
  expect(() => loadApiConfig({ ...complete, DURATION_BOUNDS: '{"lock":{"min":9,"max":1}}' })).toThrow(
    /DURATION_BOUNDS.lock: min is above max/,
  );
});
