import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { buildClient } from './build-client.ts';

const run = promisify(execFile);

const program = `
import { createClient, followEvents, requireData, ServiceError } from 'vault-tokenization-client';

const connection = { baseUrl: 'http://service.example', apiKey: 'key', fetch: () => Promise.reject(new TypeError('none')) };
const refused = await createClient(connection).GET('/api/v1/vaults').catch((error) => error);
const events = followEvents(connection, { vaultId: 'v' }, { onReconnect: () => events.return() });
console.log(refused.message, requireData.name, ServiceError.name, typeof events.next);
`;

const typedProgram = `
import { createClient, type EventOfType, followEvents, requireData } from 'vault-tokenization-client';

const connection = { baseUrl: 'http://service.example', apiKey: 'key' };
const vault = await createClient(connection).GET('/api/v1/vaults/{vaultId}', { params: { path: { vaultId: 'v' } } });
export const status: 'LOCKED' | undefined = vault.data?.data.status === 'LOCKED' ? vault.data.data.status : undefined;
export const version: string = requireData(vault).metadata.version;
const assetWithDefaults = { policy_id: 'p', asset_name: 'a' };
await createClient(connection).POST('/api/v1/vaults/{vaultId}/assets', { params: { path: { vaultId: 'v' } }, body: assetWithDefaults });
// @ts-expect-error a code that the service does not have
export const isRefused = vault.error?.error.code === 'NO_SUCH_CODE';
for await (const event of followEvents(connection, { vaultId: 'v' }, { after: 0 }))
  if (event.type === 'VAULT_STATUS_CHANGED') {
    const changed: EventOfType<'VAULT_STATUS_CHANGED'> = event;
    console.log(changed.data.to satisfies string);
    // @ts-expect-error a field of another event
    console.log(changed.data.proposalId.length);
  }
`;

test('the built package is imported by its name, and TypeScript programs get its types', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'client-'));
  try {
    await buildClient(folder);
    await writeFile(join(folder, 'program.mjs'), program);
    const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder });
    expect(stdout).toBe('none requireData ServiceError function\n');

    await writeFile(join(folder, 'typed.mts'), typedProgram);
    const tsc = resolve('node_modules/typescript/bin/tsc');
    const options = ['--strict', '--noEmit', '--target', 'es2023', '--lib', 'es2023,dom', '--skipLibCheck'];
    const check = [tsc, ...options, '--module', 'nodenext', 'typed.mts'];
    await expect(run(process.execPath, check, { cwd: folder })).resolves.toMatchObject({ stdout: '' });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the package pins what it needs, and the service is not among it', async () => {
  const { dependencies, files } = JSON.parse(await readFile('client/package.json', 'utf8')) as {
    dependencies: Record<string, string>;
    files: string[];
  };
  expect(Object.keys(dependencies)).toEqual(['openapi-fetch']);
  expect(Object.values(dependencies).every((version) => /^\d+\.\d+\.\d+$/.test(version))).toBe(true);
  expect(files).toEqual(['dist']);
});
