import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { print } from './wallets.ts';

/** Compares the books of every vault with the ledger, as `npm run reconcile` does, and prints the result. Throws when they differ. */
export async function reconcile(): Promise<void> {
  const program = ['--disable-warning=ExperimentalWarning', 'src/operations/commands/main.ts', 'reconcile'];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, program);
    print(`the books and the ledger: ${stdout.trim()}`);
  } catch (error) {
    throw new Error((error as { readonly stdout?: string }).stdout ?? String(error), { cause: error });
  }
}
