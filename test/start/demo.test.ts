import { spawn } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { ledgerClient } from '../stack/ledger-client.ts';
import { holdings } from '../life/people.ts';
import { dataFolder, npmStart } from './npm-start.ts';

const FAUCET = 2_000_000_000n;

interface Utxo {
  readonly address: string;
  readonly amount: readonly { readonly unit: string; readonly quantity: string }[];
}

interface Line {
  readonly name: string;
  readonly ft: bigint;
  readonly lovelace: bigint;
}

test('the demo runs to its end, again and again, and what it prints is what the wallets have on the ledger', async () => {
  await using folder = await dataFolder();
  const started = npmStart(folder.path);
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => started.stop().then(() => undefined));
  const { ledgerUrl } = await started.ready();

  expect(await demo(folder.path)).toMatchObject({ code: 0 });
  const { code, output } = await demo(folder.path);

  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringMatching(/\ndone\n$/) });
  const lines = printed(output);
  expect(lines.map(({ name }) => name)).toEqual(['Ada', 'Grace', 'Edsger', 'Barbara', 'liquidity']);
  expect(lines.reduce((sum, { ft }) => sum + ft, 0n)).toBe(1_000_000_000_000n);

  const token = /\(FT\) ([0-9a-f]+);/.exec(output)?.[1] ?? '';
  const ledger = ledgerClient(ledgerUrl.replace(/\/api\/v0$/, ''));
  for (const { name, ft, lovelace } of lines.slice(0, 4)) {
    const address = new RegExp(`${name} \\((\\w+)\\) is given`).exec(output)?.[1] ?? '';
    const held = await holdings({ ledger }, address);
    expect([name, held.get(token)]).toEqual([name, ft]);
    expect([name, held.get('lovelace')]).toEqual([name, FAUCET - (await spent(ledger, address)) + lovelace]);
  }
}, 300_000);

async function demo(dataDir: string): Promise<{ code: number | null; output: string }> {
  const child = spawn('npm', ['run', 'demo'], {
    env: { ...process.env, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

/** What the demo says that each received. */
function printed(output: string): Line[] {
  return [...output.matchAll(/^ {2}(\w+) +([\d,.]+) FT +([\d,.]+) ADA$/gm)].map(([, name = '', ft = '', ada = '']) => ({
    name,
    ft: millionths(ft),
    lovelace: millionths(ada),
  }));
}

function millionths(text: string): bigint {
  const [whole = '', fraction = ''] = text.replaceAll(',', '').split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
}

/** Lovelace that left a wallet in the transactions it has signed. */
async function spent(ledger: ReturnType<typeof ledgerClient>, address: string): Promise<bigint> {
  const listed = (await ledger.query<{ tx_hash: string }[]>(`/addresses/${address}/transactions`)) ?? [];
  let lost = 0n;
  for (const { tx_hash: hash } of listed) {
    const utxos = await ledger.query<Record<'inputs' | 'outputs', readonly Utxo[]>>(`/txs/${hash}/utxos`);
    const own = (side: readonly Utxo[] = []) =>
      side
        .filter((utxo) => utxo.address === address)
        .flatMap(({ amount }) => amount.filter(({ unit }) => unit === 'lovelace'))
        .reduce((sum, { quantity }) => sum + BigInt(quantity), 0n);
    const given = own(utxos?.inputs);
    if (given > 0n) lost += given - own(utxos?.outputs);
  }
  return lost;
}
