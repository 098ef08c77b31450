import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { TestStack } from '../stack/test-stack.ts';

interface Exit {
  readonly code: number;
  readonly stdout: string;
}

type Programs = Pick<TestStack, 'databaseUrl' | 'ledger'> & { readonly adminKey: string };

/** Runs a program of the repository beside a stack; a failure is a value. */
async function runProgram(stack: Programs, ...program: string[]): Promise<Exit> {
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
  return runProgram(stack, 'src/operations/commands/main.ts', 'reconcile');
}

/** Compares the statement of a vault with the ledger, as anybody does with a key that may only read. */
export async function audit(stack: TestStack, vaultId: string): Promise<Exit> {
  const made = await stack.api.post<{ data: { key: string } }>('/api-keys', {
    name: 'Auditor',
    roles: ['PARTICIPANT'],
  });
  const auditor = { ...stack, adminKey: made.body.data.key };
  const ledger = `${stack.ledger.url}/api/v0`;
  return runProgram(auditor, 'tools/audit.mjs', '--api', stack.apiUrl(), '--vault', vaultId, '--ledger', ledger);
}
