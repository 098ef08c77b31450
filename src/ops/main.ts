/** `npm run ops -- <command>`: what an operator does by hand, see docs/operations.md and docs/security.md. */
import { text } from 'node:stream/consumers';
import { ConfigurationError } from '../config/environment.ts';
import type { CommandResult } from './command-result.ts';

const parameters = process.argv.slice(2);

/** Each kind loads only what it needs: the root key comes near no database, and its library near no other command. */
async function run(): Promise<CommandResult> {
  if (parameters[0] === 'split-root' || parameters[0] === 'join-root') {
    const { rootCommand } = await import('./root-commands.ts');
    return rootCommand(parameters, () => text(process.stdin));
  }
  const { databaseCommand } = await import('./database-command.ts');
  return databaseCommand(parameters);
}

const { ok, output } = await run().catch((error: unknown): CommandResult => {
  if (error instanceof ConfigurationError) return { ok: false, output: error.message };
  throw error;
});
process.stdout.write(`${output}\n`);
process.exitCode = ok ? 0 : 1;
