import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { newSessionToken } from '../../src/access/sessions.ts';
import { canaries } from './canaries.ts';
import { refuseSecretsInLogs } from './refuse-secrets.ts';
import { secretsIn, secretsInResponse } from './secrets-in.ts';

const signature = `845846a201276761646472657373583900${'ab'.repeat(20)}`;
const token = canaries.adminKey.slice(-43);

test.each(Object.entries(canaries))('the canary is found: %s', (name, secret) => {
  expect(secretsIn(`{"message":"refused: ${secret}"}`)).toContain(name);
});

test.each([
  ['API key', `x-api-key: vts_test_${'0a'.repeat(16)}_${'x'.repeat(43)}`],
  ['session token, or the secret of an API key', `{"authorization":"Bearer ${token}"}`],
  ['signature of a wallet', `"${signature}"`],
  ['private key', `bad key xprv1${'q'.repeat(60)}`],
  ['e-mail address', 'sent to ada.lovelace+1@mail.example.com'],
])('a secret that no canary is known of is found by its form: %s', (kind, text) => {
  expect(secretsIn(text)).toEqual([kind]);
});

test('a new session token has the form that is searched for', () => {
  expect(newSessionToken()).toMatch(/^[\w-]{43}$/);
});

test('usual log lines hold no secret', () => {
  const line = {
    correlationId: '01a1ffab-bb4c-7c2b-831a-36b802470d2f',
    apiKeyId: '0a'.repeat(16),
    path: '/api/v1/wallets/addr_test1vz0l7',
    hash: 'ab'.repeat(32),
    stack: 'at /app/node_modules/@temporalio/client/lib/index.js:1:2',
    etag: 'x'.repeat(27),
    identity: '4711@host.example',
    details: '\\n@type.googleapis.com/temporal.api',
    long: 'x'.repeat(100_000),
  };
  expect(secretsIn(JSON.stringify(line))).toEqual([]);
});

test('a response may hold a secret only where it succeeds, and only in the field that gives it', () => {
  const kindsIn = (status: number, body: object) => {
    const headers = new Headers({ 'content-type': 'application/json' });
    return secretsInResponse({ status, headers, text: JSON.stringify(body) });
  };
  expect(kindsIn(201, { data: { token } })).toEqual([]);
  expect(kindsIn(201, { data: { id: token } })).toHaveLength(1);
  expect(kindsIn(400, { data: { token } })).toHaveLength(1);
  expect(kindsIn(200, { fact: `signature ${signature}` })).toEqual([]);
  expect(kindsIn(400, { fact: `signature ${signature}` })).toHaveLength(1);
});

test('a log with a secret is refused with its file, line and kind, and not with the secret', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vault-secrets-'));
  await mkdir(join(folder, 'stack-1'));
  const file = join(folder, 'stack-1', 'api.log');
  await writeFile(join(folder, 'secrets.json'), canaries.databasePassword);
  await writeFile(file, 'listening\n');
  await refuseSecretsInLogs(folder);
  await writeFile(file, `listening\npassword ${canaries.databasePassword}\n`);
  await expect(refuseSecretsInLogs(folder)).rejects.toThrow(new Error(`secrets in logs:\n${file}:2: databasePassword`));
  await rm(folder, { recursive: true });
});
