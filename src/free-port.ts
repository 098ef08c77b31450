import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems give to whoever asks for any port: nobody gets one of these by chance before it is listened on. */
const LOWEST = 21_000;
const COUNT = 11_200;
/** Ports that a process has to itself, whatever other processes that choose here are doing at the time. */
const OWN = 16;
const ATTEMPTS = 200;

let claimed = 0;

/** A port of 127.0.0.1 that nobody listens on, for a program that has to be told its own; another one each time. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = LOWEST + ((process.pid * OWN + claimed) % COUNT);
    claimed += 1;
    if (await isFree(port)) return port;
  }
  throw new Error(`there is no free port among ${ATTEMPTS} from ${LOWEST} on`);
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
