import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { claimPort } from './ports.ts';

test('a taken port is named together with the variable that chooses it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  try {
    await expect(claimPort('TEMPORAL_PORT', taken)).rejects.toThrow(`Port ${taken} (TEMPORAL_PORT) is taken`);
  } finally {
    await new Promise((closed) => server.close(closed));
  }
  await expect(claimPort('TEMPORAL_PORT', taken)).resolves.toBe(taken);
});
