import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openLedger } from './chain.ts';

const policyId = 'ab'.repeat(28);

test('every asset has a price between 50 and 550 ADA, the same on every start', async () => {
  await using first = await openLedger();
  await using second = await openLedger();
  const seen = new Set<string>();
  for (let number = 0; number < 20; number += 1) {
    const path = `/prices/${policyId}/${Buffer.from(`NFT${number}`).toString('hex')}`;
    const { lovelace } = (await first.get(path)).body as { lovelace: string };
    expect(Number(lovelace)).toBeGreaterThanOrEqual(50_000_000);
    expect(Number(lovelace)).toBeLessThanOrEqual(550_000_000);
    expect((await second.get(path)).body).toMatchObject({ lovelace, decimals: 0, source: 'embedded' });
    seen.add(lovelace);
  }
  expect(seen.size).toBeGreaterThan(15);
});

test('a price has the current time of the ledger clock, however far that was moved', async () => {
  await using ledger = await openLedger();
  await ledger.dev('/clock', { offsetMs: 86_400_000 });
  const before = Date.now();
  const { asOf } = (await ledger.get(`/prices/${policyId}/-`)).body as { asOf: string };
  expect(Date.parse(asOf)).toBeGreaterThanOrEqual(before + 86_400_000);
  expect(Date.parse(asOf)).toBeLessThanOrEqual(Date.now() + 86_400_000);
});

test('a price can be set for one asset or for a policy, and frozen; both survive a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'prices-'));
  const asOf = '2026-01-01T00:00:00.000Z';
  const before = await openLedger({ dataDir: folder });
  await before.dev('/prices', { policyId, lovelace: '1000000', decimals: 6 });
  await before.dev('/prices', { policyId, assetNameHex: 'aa', lovelace: '42', asOf });
  await before.dev('/prices', { policyId, assetNameHex: '', lovelace: '7' });
  await before.close();

  const after = await openLedger({ dataDir: folder });
  expect((await after.get(`/prices/${policyId}/bb`)).body).toMatchObject({ lovelace: '1000000', decimals: 6 });
  expect((await after.get(`/prices/${policyId}/aa`)).body).toEqual({
    lovelace: '42',
    decimals: 0,
    asOf,
    source: 'embedded',
  });
  expect((await after.get(`/prices/${policyId}/-`)).body).toMatchObject({ lovelace: '7' });
  await after.close();
  await rm(folder, { recursive: true });
});

test('a price request for an invalid asset is refused', async () => {
  await using ledger = await openLedger();
  expect((await ledger.get('/prices/xyz/aa')).status).toBe(400);
  expect((await ledger.get(`/prices/${policyId}/a`)).status).toBe(400);
});
