import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { TestStack } from '../stack/test-stack.ts';

interface Exit {
  readonly code: number;
  readonly stdout: string;
}

/** Runs a program of the repository beside a stack; a failure is a value. */
export async function runProgram(stack: TestStack, ...program: string[]): Promise<Exit> {
  const env = {
    ...process.env,
    ENVIRONMENT: 'development',
    DATABASE_URL: stack.databaseUrl,
    LEDGER_URL: `${stack.ledger.url}/api/v0`,
    API_KEY: stack.adminKey,
  };
  const running = promisify(execFile)(process.execPath, program, { env });
  return running.then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: unknown) => {
      const { code, stdout } = error as Exit;
      return { code, stdout };
    },
  );
}

/** Compares the books of every vault of a stack with its ledger, as `npm run reconcile` does. */
export function reconcile(stack: TestStack): Promise<Exit> {
  return runProgram(stack, 'src/ops/main.ts', 'reconcile');
}
