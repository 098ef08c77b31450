import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems give to whoever asks for any port: nobody else gets one of these by chance before it is listened on. */
const LOWEST = 20_000;
const HIGHEST = 32_767;
const ATTEMPTS = 100;

/** A port of 127.0.0.1 that nobody listens on, for a program that has to be told its own. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (await isFree(port)) return port;
  }
  throw new Error(`there is no free port from ${LOWEST} to ${HIGHEST}`);
}

/** Whether nobody listens on this port of 127.0.0.1. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw cause;
  }
  server.close();
  await once(server, 'close');
  return true;
}
