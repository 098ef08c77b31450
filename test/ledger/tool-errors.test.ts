import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

interface Exit {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tools-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs a tool in the folder; what it prints to stderr is never a stack. */
async function run(tool: string, parameters: readonly string[], env: Record<string, string> = {}): Promise<Exit> {
  const exit = await promisify(execFile)(process.execPath, [tool, ...parameters], { cwd: folder, env }).then(
    (output) => ({ code: 0, ...output }),
    (error: unknown) => error as Exit,
  );
  expect(exit.stderr).not.toMatch(/\n\s+at /);
  return exit;
}

const audit = (parameters: readonly string[], env = {}) => run(resolve('tools/audit.mjs'), parameters, env);
const leave = (...parameters: string[]) => run(resolve('tools/leave.mjs'), parameters);

/** A server that answers these paths, and 404 at any other. */
async function answering(bodies: Record<string, unknown>) {
  const asked: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    const body = bodies[request.url ?? ''];
    asked.push(request.headers);
    response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolved) => server.listen(0, '127.0.0.1', resolved));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, [Symbol.asyncDispose]: () => promisify(server.close.bind(server))() };
}

const nothing = { lovelace: '0', assets: [] };
const statement = { movements: [], addresses: [], opening: nothing, closing: nothing, next: null };
/** A service with one vault, of which the audit reads this. */
const vaultOf = (asOf: object) => ({
  '/api/v1/vaults/7': { data: { contractAddress: 'addr' } },
  '/api/v1/vaults/7/statement?limit=1000': { data: { ...statement, asOf } },
  '/api/v1/vaults/7/remains?limit=100': { data: { remains: [] }, metadata: { pagination: { next: null } } },
});

test('the audit ends with 2 and one line when it cannot compare, and never with 1', async () => {
  expect(await audit(['--bogus'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/'--bogus'[^]*Usage:/) as unknown,
  });
  const closed = ['--vault', '7', '--ledger', 'http://127.0.0.1:2', '--api', 'http://127.0.0.1:2'];
  expect(await audit(closed)).toMatchObject({
    code: 2,
    stderr: 'http://127.0.0.1:2/api/v1/vaults/7/statement?limit=1000 gives no answer: ECONNREFUSED\n',
  });
  await using server = await answering(vaultOf({ blockHeight: 5, blockHash: 'ab' }));
  const noLedger = await audit(['--vault', '7', '--ledger', server.url, '--api', server.url]);
  expect(noLedger).toMatchObject({
    code: 2,
    stderr: `${server.url} has no block 5: does --ledger end with /api/v0?\n`,
  });
});

test('the audit takes the address of the service with or without /api/v1, and sends key and session', async () => {
  await using server = await answering({
    ...vaultOf({ blockHeight: 5, blockHash: 'ab' }),
    '/api/v0/blocks/5': { hash: 'ab', time: 1000 },
  });
  for (const ending of ['', '/', '/api/v1', '/api/v1/']) {
    server.asked.length = 0;
    const parameters = ['--vault', '7', '--ledger', `${server.url}/api/v0`, '--api', `${server.url}${ending}`];
    const env = { API_KEY: 'key', SESSION_TOKEN: 'token' };
    expect(await audit(parameters, env)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\n0 diff/) as unknown,
    });
    expect(server.asked[0]).toMatchObject({ 'x-api-key': 'key', authorization: 'Bearer token' });
  }
});

test('leaving names the option, file or address that is wrong, and what belongs there', async () => {
  await using server = await answering({
    '/genesis': { network_magic: 2, slot_length: 1 },
    '/epochs/latest/parameters': { min_fee_a: 44 },
    '/blocks/latest': { slot: 1, time: 1 },
  });
  await writeFile(join(folder, 'response.json'), '{"data":{"ownerScript":{"cbor":"00"}}}');
  await writeFile(join(folder, 'line'), 'unsigned ab cd');
  const show = (script: string, ledger = server.url) => leave('show', '--script', script, '--ledger', ledger);
  const errors = [
    [await leave('show', '--bogus'), /'--bogus'[^]*Usage:/],
    [await show('response.json', 'http://127.0.0.1:2'), /^http:\/\/127.0.0.1:2\/\S+ gives no answer: ECONNREFUSED\n$/],
    [await show('response.json', `${server.url}/api`), /^\S+\/api answered 404 .* --ledger end with \/api\/v0\?\n$/],
    [await show('none.json'), /^--script none.json: the file cannot be read \(ENOENT\)\n$/],
    [await show('response.json'), /^--script response.json: the file must hold `ownerScript` .*, and nothing else\n$/],
    [await leave('submit', '--transaction', 'line', '--witness', 'line'), /^--transaction line: .* third word .*\n$/],
  ] as const;
  for (const [exit, message] of errors)
    expect(exit).toMatchObject({ code: 1, stderr: expect.stringMatching(message) as unknown });
});

test('leaving without its packages prints the command that installs them', async () => {
  await copyFile('tools/leave.mjs', join(folder, 'leave.mjs'));
  expect(await run('leave.mjs', ['show'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/npm install @emurgo\/\S+@\S+ @scure\/bip39@\S+\n$/) as unknown,
  });
});
