import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { signingWallet } from '../http/signing-wallet.ts';
import { apiService } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { installClient, installedIn } from './install-client.ts';

const follower = `
import { createClient, followEvents, requireData } from 'vault-tokenization-client';

const [, , baseUrl = '', apiKey = '', vaultId = ''] = process.argv;
const service = { baseUrl, apiKey };
const vault = requireData(await createClient(service).GET('/api/v1/vaults/{vaultId}', { params: { path: { vaultId } } }));
console.log(vault.data.name);
let left = 2;
for await (const event of followEvents(service, { vaultId }, { after: 0 })) {
  console.log(event.type);
  left -= 1;
  if (left === 0) break;
}
`;

const typed = `
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

let folder: string;
let project: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-'));
  project = await installClient(folder);
});
afterAll(() => rm(folder, { recursive: true }));

/** Compiles a program of the project, with every declaration of the package; `process` is all that it needs of Node. */
async function compile(name: string, text: string): Promise<void> {
  await writeFile(join(project, name), text);
  await writeFile(join(project, 'node.d.ts'), 'declare const process: { readonly argv: readonly string[] };\n');
  const options = ['--strict', '--target', 'es2023', '--lib', 'es2023,dom,dom.asynciterable', '--module', 'nodenext'];
  const parameters = [resolve('node_modules/typescript/bin/tsc'), ...options, name, 'node.d.ts'];
  await promisify(execFile)(process.execPath, parameters, { cwd: project }).catch((error: unknown) => {
    throw new Error(`${name} does not compile: ${(error as { stdout: string }).stdout}`);
  });
}

test('the packed client brings with it what it needs, at the versions that it names, and nothing of the service', async () => {
  const { dependencies } = JSON.parse(await readFile('client/package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const { 'openapi-typescript-helpers': _ofOpenapiFetch, ...installed } = await installedIn(project);
  expect(installed).toEqual({ 'vault-tokenization-client': '0.1.0', 'openapi-fetch': dependencies['openapi-fetch'] });
  expect(Object.keys(dependencies)).toEqual(['openapi-fetch']);
});

test('a TypeScript program gets the types of operations, errors and events from the installed client', async () => {
  await expect(compile('typed.mts', typed)).resolves.toBeUndefined();
});

test('a program with the installed client reads a vault of the service and follows what happens to it', async () => {
  await compile('follower.mts', follower);
  await using service = await apiService();
  const body = vaultBody(signingWallet().address);
  const created = await service.api.post<{ vault_id: string }>('/vaults', body);
  const vaultId = created.body.vault_id;

  const program = spawn(process.execPath, ['follower.mjs', service.url, service.adminKey, vaultId], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 60_000,
  });
  const exit = once(program, 'exit');
  const lines: string[] = [];
  const changes: number[] = [];
  const change = async () => {
    changes.push((await service.api.patch(`/vaults/${vaultId}`, { investorAllowList: { enabled: true } })).status);
  };
  for await (const line of createInterface(program.stdout)) {
    lines.push(line);
    if (line === 'VAULT_CREATED') await change();
  }
  expect(changes).toEqual([200]);
  expect(await exit).toEqual([0, null]);
  expect(lines).toEqual([body.vault_name, 'VAULT_CREATED', 'VAULT_SETTINGS_CHANGED']);
});
