import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { claimAll, claimPort } from './ports.ts';

test('a port in use is reported with the variable that sets it', async () => {
  const taken = await claimPort('TEMPORAL_PORT', 0);
  const server = createServer().listen(taken, '127.0.0.1');
  await once(server, 'listening');
  try {
    await expect(claimPort('TEMPORAL_PORT', taken)).rejects.toThrow(`Port ${taken} (TEMPORAL_PORT) is in use`);
  } finally {
    await new Promise((closed) => server.close(closed));
  }
  await expect(claimPort('TEMPORAL_PORT', taken)).resolves.toBe(taken);
});

test('all ports in use are reported at once', async () => {
  const taken = (variable: string) => () => Promise.reject(new Error(`${variable} is taken`));
  await expect(claimAll({ api: taken('PORT'), metrics: () => 0, ledger: taken('LEDGER_PORT') })).rejects.toThrow(
    'PORT is taken\nLEDGER_PORT is taken',
  );
  await expect(claimAll({ api: () => 1, metrics: () => Promise.resolve(2) })).resolves.toEqual({ api: 1, metrics: 2 });
});

test('a free port is outside the range that the system assigns', async () => {
  // Linux and macOS give away 32768 and above.
  for (let claim = 0; claim < 20; claim += 1) expect(await claimPort('TEMPORAL_PORT', 0)).toBeLessThan(32_768);
});
