import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { clientsOf, dataFolder, npmStart } from '../start/npm-start.ts';
import { ledgerClient } from '../stack/ledger-client.ts';
import { holdings } from '../vault-lifecycle/participants.ts';

const readme = await readFile('README.md', 'utf8');
/** Without the comments behind them. */
const shown = [...readme.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) =>
  block.split('\n').flatMap((line) => line.replace(/\s+#.*/, '').trim() || []),
);
const FIRST_VAULT = 'node examples/first-vault.mjs';

test('the README shows no command that nothing runs', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> };
  // `npm start` and the first vault run below, `npm run demo` in test/start/demo.long.test.ts, and this is one of `npm test`.
  expect(shown.filter((command) => !command.startsWith('npm run unit -- '))).toEqual([
    'npm start',
    FIRST_VAULT,
    'npm run demo',
    'npm test',
    'npm run test:long',
  ]);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'demo', 'test', 'unit']));
});

test.each(shown.filter((command) => command.startsWith('npm run unit -- ')))('%s finds tests', async (command) => {
  const [, path = '', , name = ''] = /-- (\S+)( -t (\S+))?$/.exec(command) ?? [];
  expect(existsSync(path)).toBe(true);
  const texts: string[] = [];
  for await (const file of glob(`${path}/**/*.test.ts`)) texts.push(await readFile(file, 'utf8'));
  expect(texts.filter((text) => new RegExp(`^test.*${name}`, 'm').test(text))).not.toEqual([]);
});

test('npm start and the first vault do what the README says, each time: the vault settles, and the wallet holds its tokens', async () => {
  await using folder = await dataFolder();
  const started = npmStart(folder.path);
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => started.stop().then(() => undefined));
  const stack = await started.ready();
  expect(readme).toContain('`The vault tokenization service is ready`');
  expect(started.output()).toContain('The vault tokenization service is ready');

  const ledger = ledgerClient(stack.ledgerUrl.replace(/\/api\/v0$/, ''));
  for (const _ of ['once', 'again']) {
    const output = await run(FIRST_VAULT, folder.path);
    const [, vaultId = ''] = /^Created vault (\S+)$/m.exec(output) ?? [];
    const [, address = ''] = /^Logged in (\S+)$/m.exec(output) ?? [];
    const { body } = await clientsOf(stack).api.get<{ data: Vault }>(`/vaults/${vaultId}`);
    expect(body.data).toMatchObject({ name: 'Harbour Loft', status: 'LOCKED' });
    const tokens = [...output.matchAll(/^The (?:asset|investment) gets (\d+) FT/gm)].map(([, amount]) => amount);
    expect(tokens).toHaveLength(2);
    const promised = tokens.reduce((sum, amount = '') => sum + BigInt(amount) * 1_000_000n, 0n);
    expect((await holdings({ ledger }, address)).get(body.data.fractionalization.tokenAddress)).toBe(promised);
  }
});

test('the first vault without a running stack says how to start one', async () => {
  await using folder = await dataFolder();
  await expect(run(FIRST_VAULT, folder.path)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Run `npm start` first'),
  });
});

interface Vault {
  readonly name: string;
  readonly status: string;
  readonly fractionalization: { readonly tokenAddress: string };
}

async function run(command: string, dataDir: string): Promise<string> {
  const [program = '', ...words] = command.split(' ');
  const { stdout } = await promisify(execFile)(program, words, { env: { ...process.env, DATA_DIR: dataDir } });
  return stdout;
}
