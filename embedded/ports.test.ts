import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { claimPort } from './ports.ts';

test('a port in use is reported with the variable that sets it', async () => {
  const taken = await claimPort('TEMPORAL_PORT', 0);
  const server = createServer().listen(taken, '127.0.0.1');
  await once(server, 'listening');
  try {
    await expect(claimPort('TEMPORAL_PORT', taken)).rejects.toThrow(`Port ${taken} (TEMPORAL_PORT) is taken`);
  } finally {
    await new Promise((closed) => server.close(closed));
  }
  await expect(claimPort('TEMPORAL_PORT', taken)).resolves.toBe(taken);
});

test('a free port is outside the range that the system assigns', async () => {
  // Linux and macOS give away 32768 and above.
  for (let claim = 0; claim < 20; claim += 1) expect(await claimPort('TEMPORAL_PORT', 0)).toBeLessThan(32_768);
});
