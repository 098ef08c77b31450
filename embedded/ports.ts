import { freePort, isFree } from '../src/free-port.ts';

/** A free port of 127.0.0.1: the given one, or any for 0. Throws an Error that names the variable when the port is taken. */
export async function claimPort(variable: string, port: number): Promise<number> {
  if (port === 0) return freePort();
  if (await isFree(port)) return port;
  const advice = `Set ${variable} to another port, or to 0 for any free one.`;
  throw new Error(`Port ${port} (${variable}) is taken by another program. ${advice}`);
}
