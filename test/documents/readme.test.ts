import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { dataFolder, npmStart } from '../start/npm-start.ts';
import { requireFirstVault, runExample } from './first-vault.ts';

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

  for (const _ of ['once', 'again']) await requireFirstVault(stack, await runExample(FIRST_VAULT, folder.path));
});

test('the first vault without a running stack says how to start one', async () => {
  await using folder = await dataFolder();
  await expect(runExample(FIRST_VAULT, folder.path)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Run `npm start` first'),
  });
});
