import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { callsOn, openLedger } from './chain.ts';
import { FEE, funded, newWallet, signed } from './transactions.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledger-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** The ledger as a separate process, as in the stack. */
async function ledgerProcess(variables: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['embedded/ledger/main.ts'], {
    env: { ...process.env, NODE_OPTIONS: '', LEDGER_DATA_DIR: folder, LEDGER_PORT: '0', ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { ready, url } = JSON.parse(line) as { ready: boolean; url: string };
  expect(ready).toBe(true);
  return { child, url, ...callsOn(url) };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  const exit = once(child, 'exit');
  child.kill(signal);
  return (await exit)[0];
}

test('after a kill while blocks are made, the ledger restarts at its tip with every confirmed transaction', async () => {
  const wallet = newWallet();
  const first = await ledgerProcess({ LEDGER_BLOCK_MS: '20' });
  const hashes: string[] = [];
  for (let given = 0; given < 5; given += 1) {
    const { body } = await first.dev('/faucet', { address: wallet.address, lovelace: '5000000' });
    hashes.push((body as { txHash: string }).txHash);
    await first.mine();
  }
  const seen = await first.tip();
  await ended(first.child, 'SIGKILL');

  const second = await ledgerProcess({ LEDGER_BLOCK_MS: '600000' });
  try {
    expect((await second.api(`/blocks/${seen.height}`)).body).toMatchObject({ hash: seen.hash, slot: seen.slot });
    for (const hash of hashes) expect((await second.api(`/txs/${hash}`)).status).toBe(200);
    expect((await second.api(`/addresses/${wallet.address}/utxos`)).body).toHaveLength(5);
    const spent = (await second.dev('/faucet', { address: wallet.address })).status;
    expect(spent).toBe(200);
  } finally {
    expect(await ended(second.child, 'SIGTERM')).toBe(0);
  }
});

test('SIGTERM ends the ledger with code 0, and LEDGER_GENESIS funds are created once, at the first start', async () => {
  const { address } = newWallet();
  const LEDGER_GENESIS = JSON.stringify([{ address, lovelace: '1000000000', count: 3 }]);
  for (let start = 0; start < 2; start += 1) {
    const { child, api } = await ledgerProcess({ LEDGER_GENESIS, LEDGER_BLOCK_MS: '600000' });
    expect((await api(`/addresses/${address}`)).body).toMatchObject({
      amount: [{ unit: 'lovelace', quantity: '3000000000' }],
    });
    expect(await ended(child, 'SIGTERM')).toBe(0);
  }
});

test('a last line that a kill left incomplete is removed, and the next block is read back', async () => {
  const before = await openLedger({ dataDir: folder });
  await before.mine(3);
  const tip = await before.tip();
  await before.close();
  appendFileSync(join(folder, 'chain.jsonl'), '{"block":128');

  await using after = await openLedger({ dataDir: folder });
  expect((await after.tip()).hash).toBe(tip.hash);
  await after.mine();
  const text = await readFile(join(folder, 'chain.jsonl'), 'utf8');
  expect(() =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).not.toThrow();
});

test('the clock, rollbacks and the remaining rollback depth survive a restart', async () => {
  const wallet = newWallet();
  const before = await openLedger({ dataDir: folder });
  const coin = await funded(before, wallet.address);
  const to = [{ address: wallet.address, lovelace: coin.lovelace - FEE }];
  const spend = signed({ from: [coin], to, signers: [wallet.key] });
  await before.submit(spend.cbor);
  await before.mine(2);
  await before.dev('/rollback', { blocks: 2 });
  await before.submit(spend.cbor);
  await before.mine(150);
  await before.dev('/clock', { offsetMs: 5_000_000 });
  await before.mine();
  const tip = await before.tip();
  await before.close();

  await using after = await openLedger({ dataDir: folder });
  expect(await after.tip()).toEqual(tip);
  expect((await after.get('/dev/clock')).body).toMatchObject({ offsetMs: 5_000_000 });
  expect((await after.dev('/rollback', { blocks: 100 })).status).toBe(200);
  expect((await after.api(`/addresses/${wallet.address}/utxos`)).body).toMatchObject([{ tx_hash: spend.hash }]);
});

test('a recent transaction can be rolled back and submitted again after a restart', async () => {
  const wallet = newWallet();
  const before = await openLedger({ dataDir: folder });
  const coin = await funded(before, wallet.address);
  const to = [{ address: wallet.address, lovelace: coin.lovelace - FEE }];
  const spend = signed({ from: [coin], to, signers: [wallet.key] });
  await before.submit(spend.cbor);
  await before.mine(10);
  await before.close();

  await using after = await openLedger({ dataDir: folder });
  await after.dev('/rollback', { blocks: 10 });
  expect(await after.submit(spend.cbor)).toEqual({ status: 200, body: spend.hash });
  await after.mine();
  expect((await after.api(`/txs/${spend.hash}`)).status).toBe(200);
});
