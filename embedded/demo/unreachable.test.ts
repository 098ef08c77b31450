import { expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connectService, isUnreachable } from './service.ts';

test('a stack that is gone is told from one that refuses a request', async () => {
  const server = createServer((_, response) => response.writeHead(500).end('broken'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const service = connectService({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key' });
  const fail = () =>
    service.develop('clock', {}).then(
      () => 'no error',
      (error: unknown) => error,
    );
  expect(isUnreachable(await fail())).toBe(false);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(isUnreachable(await fail())).toBe(true);
});
