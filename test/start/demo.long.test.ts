import { spawn } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { ledgerClient } from '../stack/ledger-client.ts';
import { holdings } from '../vault-lifecycle/participants.ts';
import { dataFolder, npmStart } from './npm-start.ts';

const FAUCET = 2_000_000_000n;
const PRICE = 1_000_000_000n;

interface Utxo {
  readonly address: string;
  readonly amount: readonly { readonly unit: string; readonly quantity: string }[];
}

interface Line {
  readonly name: string;
  readonly ft: bigint;
  readonly lovelace: bigint;
}

test('the demo can be run repeatedly, and it prints what the wallets hold on the ledger', async () => {
  await using folder = await dataFolder();
  const started = npmStart(folder.path);
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => started.stop().then(() => undefined));
  const { ledgerUrl } = await started.ready();

  expect(await demo(folder.path)).toMatchObject({ code: 0 });
  const { code, output } = await demo(folder.path);

  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringMatching(/\ndone\n$/) });
  const [settled = '', governed = '', ended = ''] = output.split(/^.*(?:Current|Final) balances on the ledger.*$/m);
  const lines = printed(settled);
  expect(lines.map(({ name }) => name)).toEqual(['Ada', 'Grace', 'Edsger', 'Barbara', 'liquidity']);
  expect(lines.reduce((sum, { ft }) => sum + ft, 0n)).toBe(1_000_000_000_000n);

  const ledger = ledgerClient(ledgerUrl.replace(/\/api\/v0$/, ''));
  const last = printed(ended);
  for (const line of lines.slice(0, 4)) await expectKept(ledger, output, line, last);
  const staked = (lines: readonly Line[]) =>
    lines.filter(({ name }) => name.endsWith(', staked')).map(({ ft }) => ft / 1_000_000n);
  expect(staked(printed(governed))).toEqual([50_000n, 150_000n, 200_000n]);
  expect(staked(last)).toEqual([0n, 0n, 0n]);
  // Everyone has returned their tokens, and nobody can burn them.
  expect(inTheEnd(last, 'custody').ft).toBe(1_000_000_000_000n);
  expect(inTheEnd(last, 'liquidity')).toMatchObject({ ft: 0n, lovelace: 0n });
  expect(output).toMatch(/\nThe vault is TERMINATED:\n/);
  // Lovelace, three assets, and the vault's NFT, reference token and tokens; the demo fails where one of them does not add up.
  expect(output).toMatch(/\nIts statement: .* came in with \d+ movements, .* left\n {2}It adds up in 7 units\n/);
  expect(output).toMatch(/\nRecords and ledger: 2 vaults, 0 differences /);

  expect(output).toMatch(/\n {2}tally: 350,000 FT for it, 50,000 FT against it, by 3 voters\n/);
  expect(output).toMatch(/\n {2}votesRoot [0-9a-f]{64}, anchored by transaction [0-9a-f]{64}\n/);
  await expectSold(ledger, output, ended, last);
});

type Ledger = ReturnType<typeof ledgerClient>;

/** Each wallet has what it received in the settlement and for its tokens, minus what it spent. */
async function expectKept(ledger: Ledger, output: string, { name, ft, lovelace }: Line, last: readonly Line[]) {
  const token = /\(FT\) ([0-9a-f]+)\./.exec(output)?.[1] ?? '';
  const address = addressOf(output, name);
  const held = await holdings({ ledger }, address);
  const kept = FAUCET - (await spent(ledger, address)) + lovelace + (await returnedStake(ledger, output, name));
  expect([name, held.get('lovelace')]).toEqual([name, kept]);
  expect([name, ft > 0n, held.get(token)]).toEqual([name, true, undefined]);
  expect(inTheEnd(last, name)).toEqual({ name, ft: 0n, lovelace: kept });
}

/** What came back with the tokens of a stake: its deposit without the fee. */
async function returnedStake(ledger: Ledger, output: string, name: string): Promise<bigint> {
  const hash = new RegExp(`${name} took the stake back\\n {2}by transaction ([0-9a-f]{64})`).exec(output)?.[1];
  if (hash === undefined) return 0n;
  const returned = await ledger.query<{ readonly outputs: readonly Utxo[] }>(`/txs/${hash}/utxos`);
  return lovelaceOf(returned?.outputs ?? []);
}

/** The buyer has the asset, and custody gained exactly the price. */
async function expectSold(ledger: Ledger, output: string, ended: string, last: readonly Line[]) {
  const hash = /executed it: .*\n {2}by transaction ([0-9a-f]{64})/.exec(output)?.[1] ?? '';
  const buyer = addressOf(output, 'Margaret');
  const sale = await ledger.query<Record<'inputs' | 'outputs', readonly Utxo[]>>(`/txs/${hash}/utxos`);
  const others = (side: readonly Utxo[] = []) => lovelaceOf(side.filter(({ address }) => address !== buyer));
  expect(others(sale?.outputs) - others(sale?.inputs)).toBe(PRICE);
  const [, asset] = / and (Dawn \w+)$/m.exec(ended) ?? [];
  const bought = await holdings({ ledger }, buyer);
  expect([...bought.keys()].map((unit) => Buffer.from(unit.slice(56), 'hex').toString())).toContain(asset);
  expect(inTheEnd(last, 'Margaret')).toEqual({ name: 'Margaret', ft: 0n, lovelace: bought.get('lovelace') });
}

function inTheEnd(last: readonly Line[], place: string): Line {
  return last.find(({ name }) => name === place) ?? { name: place, ft: 0n, lovelace: 0n };
}

const addressOf = (output: string, name: string) => new RegExp(`${name} \\((\\w+)\\) got `).exec(output)?.[1] ?? '';

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

/** The amounts that the demo printed for each wallet. */
function printed(output: string): Line[] {
  return [...output.matchAll(/^ {2}(\w+(?:, staked)?) +([\d,.]+) FT +([\d,.]+) ADA/gm)].map(
    ([, name = '', ft = '', ada = '']) => ({
      name,
      ft: millionths(ft),
      lovelace: millionths(ada),
    }),
  );
}

function millionths(text: string): bigint {
  const [whole = '', fraction = ''] = text.replaceAll(',', '').split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
}

/** Lovelace that left a wallet in the transactions it has signed. */
async function spent(ledger: Ledger, address: string): Promise<bigint> {
  const listed = (await ledger.query<{ tx_hash: string }[]>(`/addresses/${address}/transactions`)) ?? [];
  let lost = 0n;
  for (const { tx_hash: hash } of listed) {
    const utxos = await ledger.query<Record<'inputs' | 'outputs', readonly Utxo[]>>(`/txs/${hash}/utxos`);
    const own = (side: readonly Utxo[] = []) => lovelaceOf(side.filter((utxo) => utxo.address === address));
    const given = own(utxos?.inputs);
    if (given > 0n) lost += given - own(utxos?.outputs);
  }
  return lost;
}

function lovelaceOf(utxos: readonly Utxo[]): bigint {
  return utxos
    .flatMap(({ amount }) => amount.filter(({ unit }) => unit === 'lovelace'))
    .reduce((sum, { quantity }) => sum + BigInt(quantity), 0n);
}
