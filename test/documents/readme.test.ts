import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { testStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

test('the commands of "Your first vault" in the README create a vault with a locked asset', async () => {
  await using stack = await testStack();
  const output = await runInFolder(await commandsBelow('Your first vault'), {
    adminKey: stack.adminKey,
    apiUrl: stack.apiUrl(),
  });

  const { body } = await stack.api.get<{ data: { vaults: readonly { id: string; name: string }[] } }>('/vaults');
  const [vault] = body.data.vaults;
  expect(vault?.name).toBe('Harbour Loft');
  expect(output).toContain(vault?.id);
  await until(
    async () => {
      const assets = await stack.api.get<{ data: { assets: readonly { status: string }[] } }>(
        `/vaults/${vault?.id ?? ''}/assets`,
      );
      return assets.body.data.assets.length === 1 && assets.body.data.assets[0]?.status === 'LOCKED';
    },
    { what: 'the asset to be LOCKED' },
  );
});

/** The first shell block below a heading of the README. */
async function commandsBelow(heading: string): Promise<string> {
  const [, section = ''] = (await readFile('README.md', 'utf8')).split(`## ${heading}\n`);
  const [, commands] = /```sh\n(.*?)```/s.exec(section) ?? [];
  if (commands === undefined) throw new Error(`there are no commands below ${heading}`);
  return commands;
}

/** Runs commands as in a folder where `npm start` has written its stack.json; rejects when one fails. */
async function runInFolder(commands: string, addresses: { adminKey: string; apiUrl: string }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'readme-'));
  try {
    await mkdir(join(folder, '.data'));
    await writeFile(join(folder, '.data', 'stack.json'), JSON.stringify(addresses));
    const { stdout } = await promisify(execFile)('bash', ['-e', '-u', '-o', 'pipefail', '-c', commands], {
      cwd: folder,
    });
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}
