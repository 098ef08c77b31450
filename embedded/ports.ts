import { freePort, isFree } from '../src/free-port.ts';

/** A free port of 127.0.0.1: the given one, or any for 0. Throws an Error that names the variable when the port is taken. */
export async function claimPort(variable: string, port: number): Promise<number> {
  if (port === 0) return freePort();
  if (await isFree(port)) return port;
  const advice = `Set ${variable} to another port, or to 0 for any free one.`;
  throw new Error(`Port ${port} (${variable}) is in use by another program. ${advice}`);
}

/** Makes claims one after the other; throws an Error with what all that fail say, so that nobody meets one after the other. */
export async function claimAll<Name extends string>(
  claims: Readonly<Record<Name, () => Promise<number> | number>>,
): Promise<Record<Name, number>> {
  const ports: Partial<Record<Name, number>> = {};
  const problems: string[] = [];
  for (const name of Object.keys(claims) as Name[]) {
    try {
      ports[name] = await claims[name]();
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return ports as Record<Name, number>;
}
