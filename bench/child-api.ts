import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/**
 * Starts an api of this folder as a process of its own, on a free port. It reads its input as JSON from stdin, and prints its URL.
 * Detached, because Linux divides the CPU between sessions first: the api of the stack is in one of its own.
 */
export async function startChildApi(file: string, input: unknown): Promise<{ url: string } & AsyncDisposable> {
  const script = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  child.stdin.end(JSON.stringify(input));
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout);
  const [url] = (await Promise.race([
    once(lines, 'line'),
    ended.then(() => {
      throw new Error(`${file} ended`);
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
