import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import Slip39 from 'slip39';
import { deriveKeys } from '../../cardano/keys/keys.ts';
import { joinRoot, RootSharesError, splitRoot } from './root-shares.ts';

const twelve = 'test walk nut penalty hip pave soap entry language right filter choice';
const twentyFour = `${'zoo '.repeat(23)}vote`;

/** All ways to take so many of them. */
function choices<Item>(items: readonly Item[], count: number): Item[][] {
  if (count === 0) return [[]];
  return items.flatMap((item, index) => choices(items.slice(index + 1), count - 1).map((rest) => [item, ...rest]));
}

test.each([twelve, twentyFour])(
  'any three of five shares give the words and the operator back, no two do',
  (mnemonic) => {
    const shares = splitRoot(mnemonic, { threshold: 3, count: 5 });
    expect(new Set(shares).size).toBe(5);
    for (const three of choices(shares, 3)) expect(joinRoot(three.toReversed())).toBe(mnemonic);
    expect(joinRoot(shares)).toBe(mnemonic);
    const { address } = deriveKeys(joinRoot(shares.slice(2)), 0).operator;
    expect(address).toBe(deriveKeys(mnemonic, 0).operator.address);
    for (const two of choices(shares, 2)) expect(() => joinRoot(two)).toThrow(/too few shares/);
    expect(() => joinRoot([shares[0] ?? '', shares[1] ?? '', shares[1] ?? ''])).toThrow(/too few shares/);
  },
);

test('a share with any word changed, missing or exchanged is refused, and no word is told', () => {
  const [first = '', second = ''] = splitRoot(twelve, { threshold: 2, count: 3 });
  const words = second.split(' ');
  const changed = words.map((word, at) => words.with(at, word === 'academic' ? 'zero' : 'academic'));
  const missing = words.map((_, at) => words.toSpliced(at, 1));
  const exchanged = [words.with(3, words[4] ?? '').with(4, words[3] ?? '')].filter(
    (each) => each.join() !== words.join(),
  );
  for (const wrong of [...changed, ...missing, ...exchanged]) {
    expect(() => joinRoot([first, wrong.join(' ')])).toThrow(
      new RootSharesError('Share 2 has a wrong or missing word.'),
    );
  }
});

test('shares of two splits do not give anything', () => {
  const [first = ''] = splitRoot(twelve, { threshold: 2, count: 3 });
  const [, second = ''] = splitRoot(twelve, { threshold: 2, count: 3 });
  expect(() => joinRoot([first, second])).toThrow(/different keys or splits/);
});

test.each([
  [1, 3],
  [4, 3],
  [2, 17],
  [2.5, 3],
  [Number.NaN, 3],
])('%d of %d shares are refused', (threshold, count) => {
  expect(() => splitRoot(twelve, { threshold, count })).toThrow(/Choose a threshold from 2 .* at most 16 shares/);
});

test('the library agrees with the 45 vectors of SLIP-39', () => {
  const file = new URL('../../../node_modules/slip39/test/vectors.json', import.meta.url);
  const vectors = JSON.parse(readFileSync(file, 'utf8')) as [string, string[], string][];
  expect(vectors).toHaveLength(45);
  const recovered = vectors.map(([, shares]) => {
    try {
      return Buffer.from(Slip39.recoverSecret(shares, 'TREZOR')).toString('hex');
    } catch {
      return '';
    }
  });
  expect(recovered).toEqual(vectors.map(([, , secret]) => secret));
});

/** Runs a command of an operator with nothing but these variables. */
async function ops(parameters: readonly string[], variables: Record<string, string>, input = '') {
  const child = spawn(process.execPath, ['src/operations/commands/main.ts', ...parameters], {
    env: { NETWORK: 'preprod', ...variables },
  });
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { stdout, stderr, code: child.exitCode };
}

test('the operator splits the root and joins it again, without a database', async () => {
  const split = await ops(['split-root', '2', '3'], { OPERATOR_MNEMONIC: twelve });
  expect(split).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(deriveKeys(twelve, 0).operator.address) as unknown,
  });
  expect(split.stdout + split.stderr).not.toContain(twelve);
  const shares = split.stdout.split('\n').filter((line) => line.split(' ').length === 20);
  expect(shares).toHaveLength(3);

  const joined = await ops(['join-root'], {}, `${shares[2]}\n\n${shares[0]}\n`);
  expect(joined).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(new RegExp(`addr_test1[^]*\\n${twelve}\\n$`)) as unknown,
  });
  expect(await ops(['join-root'], {}, shares[1])).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/too few/) as unknown,
  });
  expect(await ops(['split-root', '2', '3'], {})).toMatchObject({ code: 1, stdout: 'OPERATOR_MNEMONIC is not set.\n' });
  expect(await ops(['split-root', '3'], { OPERATOR_MNEMONIC: twelve })).toMatchObject({ code: 1 });
});

test('a new root is told with the address that it has when it is configured', async () => {
  const made = await ops(['new-root'], {});
  const [, address, mnemonic = ''] =
    /^Root key of (addr_test1\w+):\n\n((?:[a-z]+ ){23}[a-z]+)\n$/.exec(made.stdout) ?? [];
  expect(address).toBe(deriveKeys(mnemonic, 0).operator.address);
  expect(await ops(['operator-address'], { OPERATOR_MNEMONIC: mnemonic })).toMatchObject({
    code: 0,
    stdout: `${address}\n`,
  });
  expect((await ops(['new-root'], {})).stdout).not.toBe(made.stdout);
});

test('a command without what it needs says in one line what to do', async () => {
  const noStack =
    /^The configuration is invalid:\n  DATABASE_URL is not set, .* Run `npm start` first and leave it running\.\n$/;
  for (const [command, variables, message] of [
    ['reconcile', { DATA_DIR: '/missing' }, noStack],
    ['operator-address', {}, /^OPERATOR_MNEMONIC is not set.\n$/],
    ['split-root', { NETWORK: '' }, /^The configuration is invalid:\n  NETWORK is not set\n$/],
  ] as const)
    expect(await ops([command], variables)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(message) as unknown,
      stderr: expect.not.stringContaining('    at ') as unknown,
    });
});
