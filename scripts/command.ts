import { spawn } from 'node:child_process';

/** The result of a check: whether it passed, and what to print if it did not. */
export interface CheckResult {
  readonly ok: boolean;
  readonly output: string;
}

/**
 * Runs a JavaScript or TypeScript file with the Node that runs this; returns its output. Its priority is lower than that of the tests beside
 * it, but not so low that it would have to go on after them.
 */
export function runScript(file: string, ...args: string[]): Promise<CheckResult> {
  return new Promise((resolve) => {
    const command = ['-n', '5', process.execPath, file, ...args];
    const child = spawn('nice', command, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('close', (status) => {
      resolve({ ok: status === 0, output });
    });
  });
}
