import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { claimPort } from './ports.ts';

test('a taken port is named together with the variable that chooses it', async () => {
  const taken = await claimPort('PORT', 0);
  const server = createServer();
  await new Promise<void>((listening) => server.listen(taken, '127.0.0.1', listening));
  try {
    await expect(claimPort('TEMPORAL_PORT', taken)).rejects.toThrow(`Port ${taken} (TEMPORAL_PORT) is taken`);
  } finally {
    await new Promise((closed) => server.close(closed));
  }
  await expect(claimPort('TEMPORAL_PORT', taken)).resolves.toBe(taken);
});
