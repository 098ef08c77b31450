/** `npm run ops -- <command>`: what an operator does by hand, see docs/operations/runbook.md and docs/operations/keys.md. */
import { text } from 'node:stream/consumers';
import { ConfigurationError } from '../../platform/config/environment.ts';
import type { CommandResult } from './command-result.ts';
import type { RootCommand } from './root-commands.ts';

const rootNames: readonly string[] = [
  'new-root',
  'operator-address',
  'split-root',
  'join-root',
] satisfies RootCommand[];

const [name = '', ...parameters] = process.argv.slice(2);

/** Each kind loads only what it needs: the root key comes near no database, and its library near no other command. */
async function run(): Promise<CommandResult> {
  if (isRootCommand(name)) {
    const { rootCommand } = await import('./root-commands.ts');
    return rootCommand(name, parameters, () => text(process.stdin));
  }
  if (name === 'release') {
    const { releaseCommand } = await import('./release-command.ts');
    return releaseCommand();
  }
  const { databaseCommand } = await import('./database-command.ts');
  return databaseCommand([name, ...parameters]);
}

function isRootCommand(command: string): command is RootCommand {
  return rootNames.includes(command);
}

const { ok, output } = await run().catch((error: unknown): CommandResult => {
  if (error instanceof ConfigurationError) return { ok: false, output: error.message };
  throw error;
});
process.stdout.write(`${output}\n`);
process.exitCode = ok ? 0 : 1;
