import { randomBytes } from 'node:crypto';
import { createLedger } from '../../cardano/ledger/ledger.ts';
import { loadOpsConfig } from '../../platform/config/ops.ts';
import { wallClock } from '../../platform/units/time.ts';
import { createIds } from '../../platform/units/ids.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { createEncryption } from '../../platform/database/encryption.ts';
import { requireOwnSessions, SharedSessionError } from '../../platform/database/postgres-sessions.ts';
import { createUnitOfWork, offsetClock } from '../../platform/database/unit-of-work.ts';
import { prepareDatabase } from '../../platform/database/roles/prepare-database.ts';
import type { CommandResult } from './command-result.ts';
import { runCommand } from './commands.ts';

const LEDGER_TIMEOUT_MS = 30_000;

/** Runs a command on the database of the configuration, as its owner. */
export async function databaseCommand(parameters: readonly string[]): Promise<CommandResult> {
  const config = loadOpsConfig();
  try {
    await requireOwnSessions(config.databaseUrl);
  } catch (error) {
    if (error instanceof SharedSessionError) return { ok: false, output: error.message };
    throw error;
  }
  return parameters[0] === 'migrate' ? migrate(config.databaseUrl) : runOn(config, parameters);
}

async function runOn(config: ReturnType<typeof loadOpsConfig>, parameters: readonly string[]): Promise<CommandResult> {
  const ledger = config.ledger && createLedger({ ...config.ledger, timeoutMs: LEDGER_TIMEOUT_MS });
  const reportError = ({ message }: Error) => void process.stderr.write(`${message}\n`);
  const db = openDatabase(config.databaseUrl, reportError, 2);
  const ids = createIds({ clock: wallClock, random: randomBytes });
  try {
    const encryption = config.encryptionKeys && createEncryption(config.encryptionKeys);
    const unitOfWork = createUnitOfWork(db, offsetClock(wallClock), ids);
    return await runCommand({ db, ledger, encryption, unitOfWork }, parameters);
  } finally {
    await db.destroy();
  }
}

async function migrate(databaseUrl: string): Promise<CommandResult> {
  const missing = await prepareDatabase(databaseUrl);
  if (missing.length === 0) return { ok: true, output: 'Updated the database to this release.' };
  const roles = missing.join(' and ');
  return {
    ok: false,
    output: `Updated the database, but the role ${roles} is missing. Create it, then run this command again.`,
  };
}
