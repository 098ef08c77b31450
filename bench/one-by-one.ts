import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { OneByOneInput } from './one-by-one-api.ts';

/** Starts the baseline api, which writes each vote in its own transaction, on a free port. */
export async function startOneByOne(input: OneByOneInput): Promise<{ url: string } & AsyncDisposable> {
  const script = fileURLToPath(new URL('./one-by-one-api.ts', import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(input)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout);
  const [url] = (await Promise.race([
    once(lines, 'line'),
    ended.then(() => {
      throw new Error('the baseline api ended');
    }),
  ])) as [string];
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
