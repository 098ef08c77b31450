import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { Transaction } from '@emurgo/cardano-serialization-lib-nodejs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import { instant } from '../../src/platform/units/time.ts';
import { witnessSetOf } from '../../src/cardano/keys/witnesses.ts';
import { keyAddress, scriptAddress } from '../../src/cardano/scripts/address.ts';
import { type NativeScript as Script, scriptCbor } from '../../src/cardano/scripts/native-script.ts';
import { custodyScript, depositScript, stakeScript } from '../../src/cardano/scripts/vault-scripts.ts';
import { openLedger, type TestLedger } from './chain.ts';

const words = `${'abandon '.repeat(23)}art`;
/** The first address of the wallet with these words (CIP-1852). */
const owner = deriveKeys(words, 0).operator;
const vaultKeyHash = deriveKeys(words, 0).vaultKey(7).keyHash;

const otherKey = deriveKeys(words, 0).vaultKey(8);

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

const leave = (...parameters: string[]) => leaveBy(`${ledger.url}/api/v0`, ...parameters);

/** Runs the tool in a folder that holds nothing else of the project. */
async function leaveBy(url: string, ...parameters: string[]): Promise<Run> {
  const command = ['leave.mjs', ...parameters, '--ledger', url];
  const ran = promisify(execFile)(process.execPath, command, { cwd: folder, env: {} });
  return ran.catch((error: unknown) => error as Run);
}

async function tipSlot(): Promise<number> {
  return (await ledger.tip()).slot;
}

/** Writes the script as the service publishes it, and returns the name of the file. */
async function published(name: string, script: Script): Promise<string> {
  await writeFile(join(folder, name), JSON.stringify({ address: scriptAddress(script, 0), cbor: scriptCbor(script) }));
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

  expect((await leave(...take)).stderr).toMatch(/can take this from \S+Z on, not before/);
  expect(await holdings(address)).toMatchObject({ lovelace: 54_000_000n });

  await moveTo(deadlineSlot + 1);
  const { stdout, stderr } = await leave(...take);
  expect({ stdout, stderr }).toEqual({
    stdout: expect.stringMatching(/^submitted [0-9a-f]{64}\n$/),
    stderr: '',
  });
  await ledger.mine();
  expect(await holdings(address)).toEqual({});
  const back = await holdings(owner.address);
  expect(back[`${policyId}aa01`]).toBe(3n);
  expect(Number(back.lovelace)).toBeGreaterThan(53_700_000);

  await give(address, 1_000_000n);
  const { stdout: alone, stderr: nothing } = await leave(...take);
  expect(alone).toMatch(/^left [0-9a-f]{64}#0: it cannot pay for its own way\n$/);
  expect(nothing).toMatch(/nothing to take/);
});

test('a wallet signs the transaction that takes a stake back, no key of the service is needed, and the ledger refuses it before the date', async () => {
  const releaseSlot = (await tipSlot()) + 5000;
  const script = stakeScript({ vaultKeyHash, ownerKeyHash: owner.keyHash, releaseSlot });
  const address = scriptAddress(script, 0);
  const file = await published('stake.json', script);
  const policyId = await give(address, 4_000_000n, 'bb02');
  const take = ['take', '--script', file, '--owner', owner.address] as const;
  expect((await leave(...take)).stderr).toMatch(/not before/);
  const signed = async ({ stdout }: Run) => {
    const [, , unsigned = ''] = stdout.trim().split(' ');
    await writeFile(join(folder, 'tx'), unsigned);
    // A wallet may sign with its stake key too, for which the fee does not pay.
    await writeFile(join(folder, 'witness'), witnessSetOf(unsigned, [otherKey, owner]));
    return ['submit', '--transaction', 'tx', '--witness', 'witness'];
  };
  await using fast = await changedLedger('/blocks/latest', (tip) => ({ ...tip, slot: releaseSlot + 1 }));
  const early = await leave(...(await signed(await leaveBy(fast.url, ...take))));
  expect(early.stderr).toMatch(/the ledger answered 400 to \/tx\/submit: .*OutsideValidityInterval/);

  await moveTo(releaseSlot + 1);
  expect((await leave(...(await signed(await leave(...take))))).stdout).toMatch(/^submitted/);
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
  // Together they are more of one asset than an output can hold.
  for (let time = 0; time < 3; time += 1)
    await ledger.dev('/faucet', {
      address,
      lovelace: '2000000',
      assets: [{ assetNameHex: 'ee', quantity: String(2n ** 63n - 1n) }],
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
  expect(others.stderr).toMatch(/words of --mnemonic derive no key/);
});

test('the tool refuses a file whose address is not that of its script', async () => {
  const script = depositScript({ vaultKeyHash, ownerKeyHash: owner.keyHash, deadlineSlot: 7 });
  const file = await published('forged.json', script);
  const address = scriptAddress(depositScript({ vaultKeyHash, ownerKeyHash: owner.keyHash, deadlineSlot: 8 }), 0);
  const cbor = scriptCbor(script);
  await writeFile(join(folder, file), JSON.stringify({ address, cbor }));
  const take = ['take', '--script', file, '--owner', owner.address, '--mnemonic', 'words'];
  for (const command of [['show', '--script', file], take])
    expect(await leave(...command)).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining(`the file names the address ${address}`) as unknown,
    });
});

test('the tool pays no fee that no transaction costs, whatever the ledger asks', async () => {
  const script = depositScript({ vaultKeyHash, ownerKeyHash: owner.keyHash, deadlineSlot: 1 });
  const file = await published('dear.json', script);
  await give(scriptAddress(script, 0), 90_000_000n);
  // Each transaction costs 80 ADA more.
  await using greedy = await changedLedger('/epochs/latest/parameters', (parameters) => ({
    ...parameters,
    min_fee_b: 80_155_381,
  }));
  const take = ['take', '--script', file, '--owner', owner.address, '--mnemonic', 'words'];
  expect(await leaveBy(greedy.url, ...take)).toMatchObject({
    stdout: '',
    stderr: expect.stringMatching(/asks a fee of 80\d{6} lovelace/) as unknown,
  });
});

/** The ledger, except that it says something else at this path. */
async function changedLedger(
  path: string,
  change: (body: Record<string, unknown>) => object,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    void ledger.api(request.url ?? '').then(({ body }) => {
      response.end(JSON.stringify(request.url === path ? change(body as Record<string, unknown>) : body));
    });
  });
  await new Promise<void>((resolved) => server.listen(0, '127.0.0.1', resolved));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, [Symbol.asyncDispose]: () => promisify(server.close.bind(server))() };
}

test('after the date, k cosigners take the whole custody without the key of the vault, and k - 1 never do', async () => {
  const cosigners = [0, 1, 2].map((index) => deriveKeys(`${'zoo '.repeat(23)}vote`, 0).vaultKey(index));
  const addressOf = ({ keyHash }: { keyHash: string }) => keyAddress(keyHash, 0);
  const [first, second] = cosigners.map(addressOf);
  const fromSlot = (await tipSlot()) + 5000;
  const alone = { from: instant(0), fromSlot };
  const keyHashes = cosigners.map(({ keyHash }) => keyHash);
  const script = custodyScript({ vaultKeyHash, cosigners: { required: 2, keyHashes, alone } });
  const address = scriptAddress(script, 0);
  const file = await published('custody.json', script);
  // What a settlement delivers holds no more than its min-ADA.
  const policyIds = [await give(address, 1_200_000n, 'dd01'), await give(address, 1_200_000n, 'dd02')];
  const take = ['take', '--script', file, '--owner', owner.address, '--signer', first!] as const;
  const both = [...take, '--signer', second!];

  expect((await leave(...both)).stderr).toMatch(/can take this from \S+Z on, not before/);
  const shown = (await leave('show', '--script', file, '--signer', first!, '--signer', second!)).stdout;
  expect(shown).toMatch(new RegExp(`the signers together: from \\S+Z on \\(slot ${fromSlot}\\)`));
  await moveTo(fromSlot + 1);
  expect((await leave(...take)).stderr).toMatch(/never spend from this script without others/);

  const [, , unsigned = ''] = (await leave(...both)).stdout.trim().split(' ');
  // Two keys sign, though the script names four.
  const signedBytes = unsigned.length / 2 + 10 + 2 * 101;
  expect(Transaction.from_hex(unsigned).body().fee().to_str()).toBe(String(155_381 + 44 * signedBytes));
  await writeFile(join(folder, 'custody'), unsigned);
  const witnesses = cosigners
    .slice(0, 2)
    .map((key, index) => ({ name: `witness${index}`, set: witnessSetOf(unsigned, [key]) }));
  for (const { name, set } of witnesses) await writeFile(join(folder, name), set);
  const submit = ['submit', '--transaction', 'custody', '--witness', 'witness0'];
  expect((await leave(...submit)).stderr).toMatch(/the ledger answered 400/);
  expect((await leave(...submit, '--witness', 'witness1')).stdout).toMatch(/^submitted/);
  await ledger.mine();
  expect(await holdings(address)).toEqual({});
  const taken = await holdings(owner.address);
  expect([taken[`${policyIds[0]}dd01`], taken[`${policyIds[1]}dd02`]]).toEqual([3n, 3n]);
});
