import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { NativeScript } from '@emurgo/cardano-serialization-lib-nodejs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deriveKeys } from '../../src/chain/keys/keys.ts';
import { witnessSetOf } from '../../src/chain/keys/witness-set.ts';
import { scriptAddress } from '../../src/chain/scripts/address.ts';
import { cslScript, type NativeScript as Script } from '../../src/chain/scripts/native-script.ts';
import { depositScript, stakeScript } from '../../src/chain/scripts/vault-scripts.ts';
import { openLedger, type TestLedger } from './chain.ts';

const words = `${'abandon '.repeat(23)}art`;
/** The first address of the wallet with these words (CIP-1852). */
const owner = deriveKeys(words, 0).operator;
const vaultKeyHash = deriveKeys(words, 0).vaultKey(7).keyHash;

/** No part of the service runs in this file: the tool has the script, the words and a ledger. */
let ledger: TestLedger;
let folder: string;
beforeAll(async () => {
  ledger = await openLedger();
  folder = await mkdtemp(join(tmpdir(), 'leave-'));
  await copyFile('tools/leave.mjs', join(folder, 'leave.mjs'));
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'words'), words);
});
afterAll(async () => {
  await ledger.close();
  await rm(folder, { recursive: true });
});

interface Run {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the tool in a folder that holds nothing else of the project. */
async function leave(...parameters: string[]): Promise<Run> {
  const command = ['leave.mjs', ...parameters, '--ledger', `${ledger.url}/api/v0`];
  const ran = promisify(execFile)(process.execPath, command, { cwd: folder, env: {} });
  return ran.catch((error: unknown) => error as Run);
}

async function tipSlot(): Promise<number> {
  return (await ledger.tip()).slot;
}

/** Writes the script as the service publishes it, and returns the name of the file. */
async function published(name: string, script: Script): Promise<string> {
  const cbor = NativeScript.from_json(JSON.stringify(cslScript(script))).to_hex();
  await writeFile(join(folder, name), JSON.stringify({ address: scriptAddress(script, 0), cbor }));
  return name;
}

async function give(address: string, lovelace: bigint, assetNameHex?: string): Promise<string> {
  const assets = assetNameHex === undefined ? [] : [{ assetNameHex, quantity: '3' }];
  const { body } = await ledger.dev('/faucet', { address, lovelace: String(lovelace), assets });
  await ledger.mine();
  return (body as { policyId: string }).policyId;
}

/** Everything at an address, by unit. */
async function holdings(address: string): Promise<Record<string, bigint>> {
  const { body } = await ledger.api(`/addresses/${address}/utxos`);
  const total: Record<string, bigint> = {};
  for (const { amount } of body as { amount: { unit: string; quantity: string }[] }[])
    for (const { unit, quantity } of amount) total[unit] = (total[unit] ?? 0n) + BigInt(quantity);
  return total;
}

async function moveTo(slot: number): Promise<void> {
  const { body } = await ledger.get('/dev/clock');
  const now = body as { offsetMs: number; slot: number };
  await ledger.dev('/clock', { offsetMs: now.offsetMs + (slot - now.slot) * 1000 });
  await ledger.mine();
}

test('without the service, an owner gets every deposit back from the date on, with the words of the wallet', async () => {
  const deadlineSlot = (await tipSlot()) + 5000;
  const script = depositScript({ vaultKeyHash, ownerKeyHash: owner.keyHash, deadlineSlot });
  const address = scriptAddress(script, 0);
  const file = await published('deposit.json', script);
  const policyId = await give(address, 3_000_000n, 'aa01');
  await give(address, 50_000_000n);
  await give(address, 1_000_000n);
  const take = ['take', '--script', file, '--owner', owner.address, '--mnemonic', 'words'] as const;

  expect((await leave(...take)).stderr).toMatch(/can take this back from \S+Z on, not before/);
  expect(await holdings(address)).toMatchObject({ lovelace: 54_000_000n });

  await moveTo(deadlineSlot + 1);
  const { stdout, stderr } = await leave(...take);
  expect({ stdout, stderr }).toEqual({
    stdout: expect.stringMatching(/^left [0-9a-f]{64}#0: it cannot pay for its own return\nsubmitted [0-9a-f]{64}\n$/),
    stderr: '',
  });
  await ledger.mine();
  expect(await holdings(address)).toEqual({ lovelace: 1_000_000n });
  const back = await holdings(owner.address);
  expect(back[`${policyId}aa01`]).toBe(3n);
  expect(Number(back.lovelace)).toBeGreaterThan(52_700_000);
});

test('a wallet signs the transaction that takes a stake back, and no key of the service is needed', async () => {
  const releaseSlot = (await tipSlot()) + 5000;
  const script = stakeScript({ vaultKeyHash, ownerKeyHash: owner.keyHash, releaseSlot });
  const address = scriptAddress(script, 0);
  const file = await published('stake.json', script);
  const policyId = await give(address, 4_000_000n, 'bb02');
  const take = ['take', '--script', file, '--owner', owner.address] as const;
  expect((await leave(...take)).stderr).toMatch(/not before/);

  await moveTo(releaseSlot + 1);
  const [, , unsigned = ''] = (await leave(...take)).stdout.trim().split(' ');
  await writeFile(join(folder, 'tx'), unsigned);
  await writeFile(join(folder, 'witness'), witnessSetOf(unsigned, [owner]));
  expect((await leave('submit', '--transaction', 'tx', '--witness', 'witness')).stdout).toMatch(/^submitted/);
  await ledger.mine();
  expect(await holdings(address)).toEqual({});
  expect((await holdings(owner.address))[`${policyId}bb02`]).toBe(3n);
});

test('a deposit among many gifts of strangers comes back all the same, in several transactions', async () => {
  const deadlineSlot = (await tipSlot()) - 1;
  const script = depositScript({ vaultKeyHash, ownerKeyHash: owner.keyHash, deadlineSlot });
  const address = scriptAddress(script, 0);
  const file = await published('crowded.json', script);
  for (let number = 0; number < 130; number += 1)
    await ledger.dev('/faucet', {
      address,
      lovelace: '20000000',
      assets: Array.from({ length: number % 7 === 0 ? 60 : 0 }, (_, asset) => ({
        assetNameHex: `${'cc'.repeat(20)}${number.toString(16).padStart(4, '0')}${asset.toString(16).padStart(4, '0')}`,
        quantity: '1',
      })),
    });
  await ledger.mine();
  const { stdout, stderr } = await leave('take', '--script', file, '--owner', owner.address, '--mnemonic', 'words');
  expect(stderr).toBe('');
  expect(stdout.match(/^submitted/gm)?.length).toBeGreaterThan(3);
  await ledger.mine();
  expect(await holdings(address)).toEqual({});
});

test('the tool says from when on each key can spend, and refuses the words of another wallet', async () => {
  const deadlineSlot = (await tipSlot()) - 1;
  const script = depositScript({ vaultKeyHash, ownerKeyHash: owner.keyHash, deadlineSlot });
  const file = await published('shown.json', script);
  const { stdout } = await leave('show', '--script', file);
  expect(stdout).toContain(`address ${scriptAddress(script, 0)}\n`);
  expect(stdout).toContain(`key ${vaultKeyHash} alone: at any time\n`);
  expect(stdout).toMatch(new RegExp(`key ${owner.keyHash} alone: from \\S+Z on \\(slot ${deadlineSlot}\\)`));

  await give(scriptAddress(script, 0), 5_000_000n);
  await writeFile(join(folder, 'others'), `${'zoo '.repeat(23)}vote`);
  const others = await leave('take', '--script', file, '--owner', owner.address, '--mnemonic', 'others');
  expect(others.stderr).toMatch(/derive no key of --owner/);
});
