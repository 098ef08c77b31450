import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

test('the commands of "Your first vault" in the README create a vault each time they are run, and settle it', async () => {
  // With the blocks of `npm start`: the second block of commands directly after the first, before the deposit is in a block.
  await using stack = await testStack({ blockMs: 1000 });
  const [create, settle] = await commandsBelow('Your first vault');
  const addresses = { adminKey: stack.adminKey, apiUrl: stack.apiUrl() };
  const listed = async () => {
    const { body } = await stack.api.get<{ data: { vaults: readonly Listed[] } }>('/vaults');
    return body.data.vaults.filter(({ name }) => name === 'Harbour Loft');
  };

  for (const [number, commands] of [create, `${create}${settle}`].entries()) {
    const output = await runInFolder(commands, addresses);
    const vaults = await listed();
    expect(vaults).toHaveLength(number + 1);
    const vault = vaults.find(({ id }) => output.includes(id));
    await until(async () => hasOneLockedAsset(stack, vault?.id ?? ''), { what: `asset ${number} to be LOCKED` });
  }
  const isSettled = async () => (await listed()).some(({ status }) => status === 'LOCKED');
  await until(isSettled, { what: 'the vault with an investment to be LOCKED' });
});

test('the commands of "Your first vault" print the error of a response and stop', async () => {
  await using stack = await testStack({ services: ['api'] });
  const addresses = { adminKey: 'unknown', apiUrl: stack.apiUrl() };

  const [create] = await commandsBelow('Your first vault');
  await expect(runInFolder(create, addresses)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('INVALID_API_KEY'),
  });
});

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

async function hasOneLockedAsset(stack: TestStack, vaultId: string): Promise<boolean> {
  const { body } = await stack.api.get<{ data: { assets: readonly { status: string }[] } }>(
    `/vaults/${vaultId}/assets`,
  );
  const { assets } = body.data;
  return assets.length === 1 && assets[0]?.status === 'LOCKED';
}

/** The two shell blocks below a heading of the README. */
async function commandsBelow(heading: string): Promise<[first: string, second: string]> {
  const [, section = ''] = (await readFile('README.md', 'utf8')).split(`## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  const [first, second] = [...own.matchAll(/```sh\n(.*?)```/gs)].map(([, commands = '']) => commands);
  if (first === undefined || second === undefined) throw new Error(`there are no two blocks below ${heading}`);
  return [first, second];
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
