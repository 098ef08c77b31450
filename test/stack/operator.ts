import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { TestStack } from './test-stack.ts';

/** Runs a command of `npm run ops` and returns what it prints. Rejects when it fails. */
export async function operator(
  { databaseUrl, temporal }: Pick<TestStack, 'databaseUrl'> & Partial<Pick<TestStack, 'temporal'>>,
  ...command: string[]
): Promise<string> {
  const env = {
    ...process.env,
    ENVIRONMENT: 'development',
    DATABASE_URL: databaseUrl,
    ...(temporal && { TEMPORAL_ADDRESS: temporal.address, TEMPORAL_NAMESPACE: temporal.namespace }),
  };
  const { stdout } = await promisify(execFile)(process.execPath, ['src/operations/commands/main.ts', ...command], {
    env,
  });
  return stdout;
}
