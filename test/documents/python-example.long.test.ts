import { expect, test } from '@jest/globals';
import { dataFolder, npmStart } from '../start/npm-start.ts';
import { requireFirstVault, runExample } from './first-vault.ts';

test('the first vault in Python settles, and the wallet holds its tokens', async () => {
  await using folder = await dataFolder();
  const started = npmStart(folder.path);
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => started.stop().then(() => undefined));
  const stack = await started.ready();
  const output = await runExample('python3 examples/first-vault.py', folder.path);
  expect(output).toContain('The vault is LOCKED');
  await requireFirstVault(stack, output);
});
