import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { TestStack } from './test-stack.ts';

/** Runs a command of `npm run ops` and returns what it prints. Rejects when it fails. */
export async function operator({ databaseUrl }: Pick<TestStack, 'databaseUrl'>, ...command: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['src/ops/main.ts', ...command], {
    env: { ...process.env, ENVIRONMENT: 'development', DATABASE_URL: databaseUrl },
  });
  return stdout;
}
