import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the range of ports that systems assign on request, so that no other program gets one of these before it is used. */
const LOWEST = 21_000;
const COUNT = 11_200;
/** The number of ports reserved for each process that calls this function. */
const OWN = 16;
const ATTEMPTS = 200;

let claimed = 0;

/** Returns a free port of 127.0.0.1 for a program that needs its port as input; another port each time. Throws when there is none. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = LOWEST + ((process.pid * OWN + claimed) % COUNT);
    claimed += 1;
    if (await isFree(port)) return port;
  }
  throw new Error(`there is no free port among ${ATTEMPTS} from ${LOWEST} on`);
}

/** Whether no program listens on this port of 127.0.0.1. */
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
