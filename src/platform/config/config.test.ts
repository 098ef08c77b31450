import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { defaultDurationBounds } from '../units/time.ts';
import { loadApiConfig } from './api.ts';
import { loadOpsConfig } from './ops.ts';
import { loadWorkerConfig } from './worker.ts';

const complete = {
  DATABASE_URL: 'postgres://postgres:secret@database.example:5433/vaults?sslmode=verify-full',
  TEMPORAL_ADDRESS: 'temporal.example:7233',
  TEMPORAL_TLS: 'true',
  TEMPORAL_API_KEY: 'temporal-key',
  NETWORK: 'preprod',
  LEDGER_URL: 'https://ledger.example/api/v0',
  PRICE_FEED_URL: 'https://prices.example',
  PUBLIC_ORIGIN: 'https://vaults.example',
  ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  OPERATOR_MNEMONIC: `${'abandon '.repeat(23)}art`,
};
/** As `npm start` sets them. */
const embedded = { ENVIRONMENT: 'development', LEDGER_EMBEDDED: 'true', CLOCK_OFFSET: 'database' };

test('production uses the limits of the specification, finality after 15 blocks and no clock offset', () => {
  const config = loadApiConfig(complete);

  expect(config.rateLimits).toEqual({ default: 100, admin: 1000, windowSeconds: 900 });
  expect(config.ledger).toMatchObject({ embedded: false, blockMs: 20_000, confirmationDepth: 15 });
  expect(config.clockOffset).toBe('none');
});

test('the embedded ledger is final after 3 blocks of one second', () => {
  expect(loadApiConfig({ ...complete, ...embedded }).ledger).toMatchObject({
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

test('the operator pays a bounded amount on a day, which the embedded ledger, whose ADA cost nothing, hardly has', () => {
  const bound = (environment: Record<string, string>) =>
    loadWorkerConfig({ ...complete, ...environment }).operatorDailyBound;
  expect(bound({})).toBe(5_000_000_000n);
  expect(bound(embedded)).toBe(1_000_000_000_000n);
  expect(bound({ OPERATOR_DAILY_ADA: '0' })).toBe(0n);
  for (const wrong of ['-1', '1.5', '1000001', 'many'])
    expect(() => bound({ OPERATOR_DAILY_ADA: wrong })).toThrow(/OPERATOR_DAILY_ADA: must be a whole number from 0/);
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
    /DURATION_BOUNDS.lock: min must not be above max/,
  );
});

describe('outside development', () => {
  const insecure: [variable: string, value: string][] = [
    ['DATABASE_URL', 'postgres://postgres@database.example/vaults'],
    ['DATABASE_URL', 'postgres://postgres@127.0.0.1/vaults?sslmode=require'],
    ['DATABASE_URL', 'postgres://postgres@database.example/vaults?sslmode=verify-full&sslmode=no-verify'],
    ['DATABASE_URL', 'postgres://postgres@database.example/vaults?sslmode=verify-full&uselibpqcompat=true'],
    ['TEMPORAL_TLS', 'false'],
    ['TEMPORAL_API_KEY', ''],
    ['LEDGER_URL', 'http://ledger.example/api/v0'],
    ['LEDGER_URL', 'HTTP://ledger.example/api/v0'],
    ['PRICE_FEED_URL', 'http://127.0.0.1/prices'],
    // With them a process would believe in ADA that cost nothing, and in a clock that anybody with the database moves.
    ['LEDGER_EMBEDDED', 'true'],
    ['CLOCK_OFFSET', 'database'],
  ];

  test.each(insecure)('a start with %s=%s is refused and names the variable', (variable, value) => {
    const refused = new RegExp(`^The configuration is invalid:(\n.*)*  ${variable}: must .* outside development`);
    const loads = [loadApiConfig, loadWorkerConfig, ...(/DATABASE|LEDGER/.test(variable) ? [loadOpsConfig] : [])];
    for (const load of loads) expect(() => load({ ...complete, [variable]: value })).toThrow(refused);
  });

  test.each(['LEDGER_URL', 'PRICE_FEED_URL'])(
    'a start without %s is refused: nothing embedded replaces it',
    (variable) => {
      for (const load of [loadApiConfig, loadWorkerConfig])
        expect(() => load({ ...complete, [variable]: '' })).toThrow(`${variable} is not set`);
    },
  );

  test("the operator's own wallet adds assets only if the environment says so", () => {
    for (const load of [loadApiConfig, loadWorkerConfig]) {
      expect(load(complete).operatorDeposits).toBe(false);
      expect(load({ ...complete, OPERATOR_DEPOSITS: 'true' }).operatorDeposits).toBe(true);
    }
  });

  test.each(['', 'http://vaults.example', 'https://vaults.example/app'])(
    'wallets are not told the origin %j',
    (origin) => {
      expect(() => loadApiConfig({ ...complete, PUBLIC_ORIGIN: origin })).toThrow(/PUBLIC_ORIGIN: must be/);
    },
  );
});

test.each([{ ENVIRONMENT: 'development' }, embedded])('%j needs no encryption', (development) => {
  const { DATABASE_URL, TEMPORAL_API_KEY, ...rest } = complete;
  const local = {
    ...rest,
    DATABASE_URL: DATABASE_URL.replace(/\?.*/, ''),
    ...{ LEDGER_URL: 'http://127.0.0.1:1', TEMPORAL_TLS: '', PUBLIC_ORIGIN: '' },
    ...development,
  };
  expect(loadApiConfig(local)).toMatchObject({
    temporal: { tls: false },
    publicOrigin: 'http://localhost:3000',
    operatorDeposits: true,
  });
  expect(() => loadApiConfig({ ...local, TEMPORAL_API_KEY })).toThrow(/TEMPORAL_API_KEY: requires TEMPORAL_TLS=true/);
});

test('a certificate for Temporal needs its key, and both need their files', () => {
  const file = fileURLToPath(import.meta.url);
  const load = (variables: Record<string, string>) =>
    loadWorkerConfig({ ...complete, TEMPORAL_API_KEY: '', ...variables });
  const pair = { TEMPORAL_TLS_CLIENT_CERT_PATH: file, TEMPORAL_TLS_CLIENT_KEY_PATH: file };

  expect(load(pair).temporal.tls).toEqual({ clientCertPair: { crt: expect.any(Buffer), key: expect.any(Buffer) } });
  expect(() => load({ TEMPORAL_TLS_CLIENT_CERT_PATH: file })).toThrow(/TEMPORAL_TLS_CLIENT_KEY_PATH is not set/);
  expect(() => load({ ...pair, TEMPORAL_TLS_CLIENT_KEY_PATH: '/missing' })).toThrow(
    /TEMPORAL_TLS_CLIENT_KEY_PATH: names a file that is not readable/,
  );
});
