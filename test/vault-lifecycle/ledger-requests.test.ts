import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { testStack } from '../stack/test-stack.ts';
import { contribute, fundWallet, person, waitForTransaction } from './participants.ts';
import { waitForVaultStatus, createVault } from './vault-requests.ts';

/** A proxy between the services and their ledger that counts requests by path, without hashes and addresses. */
async function countingProxy() {
  let target = '';
  let counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const kind = (url.split('?')[0] ?? '').replace('/api/v0', '').replace(/\/([0-9a-f]{64}|addr_\w+|\d+)/, '/*');
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const sent: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => sent.push(chunk));
    request.on('end', () => {
      const type = headers['content-type'];
      void fetch(`${target}${url}`, {
        method,
        ...(type !== undefined && { headers: { 'content-type': type } }),
        ...(method === 'POST' && { body: Buffer.concat(sent) }),
      }).then(
        async (answer) => response.writeHead(answer.status).end(await answer.text()),
        () => response.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api/v0`,
    forwardTo(url: string) {
      target = url;
    },
    /** Returns the counts since the previous call. */
    takeCounts() {
      const last = counts;
      counts = new Map();
      return last;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('deposits are submitted without requesting the genesis from the ledger again', async () => {
  await using proxy = await countingProxy();
  await using stack = await testStack({ services: [], environment: { LEDGER_URL: proxy.url } });
  proxy.forwardTo(stack.ledger.url);
  await stack.restart('worker');
  await stack.restart('api');
  const owner = person(91);
  const vaultId = await createVault(stack, owner.address);
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Quay: 1, Pier: 1, Mole: 1 } });
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  proxy.takeCounts();

  for (const name of ['Quay', 'Pier', 'Mole']) {
    const { hash } = await contribute(stack, vaultId, owner, { policyId, name });
    await waitForTransaction(stack, hash, ['final']);
  }

  const requests = proxy.takeCounts();
  process.stdout.write(`requests of three deposits: ${JSON.stringify(Object.fromEntries([...requests].sort()))}\n`);
  expect([requests.get('/tx/submit'), requests.get('/genesis')]).toEqual([3, undefined]);
});
