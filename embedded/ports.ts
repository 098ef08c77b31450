import { createServer } from 'node:net';

/** A port of 127.0.0.1 that nobody listens on: the one asked for, or any for 0. Throws an Error that names the variable when it is taken. */
export async function claimPort(variable: string, port: number): Promise<number> {
  const server = createServer();
  const { promise: listening, resolve, reject } = Promise.withResolvers<undefined>();
  server.once('error', reject).listen(port, '127.0.0.1', () => {
    resolve(undefined);
  });
  try {
    await listening;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cause;
    const advice = `Set ${variable} to another port, or to 0 for any free one.`;
    throw new Error(`Port ${port} (${variable}) is taken by another program. ${advice}`, { cause });
  }
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (address === null || typeof address === 'string') throw new Error(`no port for ${variable}`);
  return address.port;
}
