import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

test('the commands of "Your first vault" in the README create a vault with a locked asset, each time they are run', async () => {
  await using stack = await testStack();
  const commands = await commandsBelow('Your first vault');
  const addresses = { adminKey: stack.adminKey, apiUrl: stack.apiUrl() };

  for (const number of [1, 2]) {
    const output = await runInFolder(commands, addresses);
    const { body } = await stack.api.get<{ data: { vaults: readonly Listed[] } }>('/vaults');
    const vaults = body.data.vaults.filter(({ name }) => name === 'Harbour Loft');
    expect(vaults).toHaveLength(number);
    const vault = vaults.find(({ id }) => output.includes(id));
    await until(async () => hasOneLockedAsset(stack, vault?.id ?? ''), { what: `asset ${number} to be LOCKED` });
  }
});

test('the commands of "Your first vault" print the error of a response and stop', async () => {
  await using stack = await testStack({ services: ['api'] });
  const addresses = { adminKey: 'unknown', apiUrl: stack.apiUrl() };

  await expect(runInFolder(await commandsBelow('Your first vault'), addresses)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('INVALID_API_KEY'),
  });
});

interface Listed {
  readonly id: string;
  readonly name: string;
}

async function hasOneLockedAsset(stack: TestStack, vaultId: string): Promise<boolean> {
  const { body } = await stack.api.get<{ data: { assets: readonly { status: string }[] } }>(
    `/vaults/${vaultId}/assets`,
  );
  const { assets } = body.data;
  return assets.length === 1 && assets[0]?.status === 'LOCKED';
}

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
