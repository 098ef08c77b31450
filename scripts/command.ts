import { spawn } from 'node:child_process';

/** The result of a check: whether it passed, and what to print if it did not. */
export interface CheckResult {
  readonly ok: boolean;
  readonly output: string;
}

/** So that it takes little from tests, which wait for time and for each other. */
const LOWER_PRIORITY = ['-n', '10'];

/**
 * Runs a JavaScript or TypeScript file with the Node that runs this, at a lower priority; its output is returned, not printed.
 */
export function runScript(file: string, ...args: string[]): Promise<CheckResult> {
  return new Promise((resolve) => {
    const options = [...LOWER_PRIORITY, process.execPath, file, ...args];
    const child = spawn('nice', options, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('close', (status) => {
      resolve({ ok: status === 0, output });
    });
  });
}
