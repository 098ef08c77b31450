/** `npm run ops -- <command>`: what an operator does by hand, see docs/operations.md. */
import { randomBytes } from 'node:crypto';
import { createLedger } from '../chain/ledger/ledger.ts';
import { loadOpsConfig } from '../config/ops.ts';
import { wallClock } from '../domain/units/clock.ts';
import { createIds } from '../domain/units/ids.ts';
import { openDatabase } from '../store/database.ts';
import { createEncryption } from '../store/encryption.ts';
import { createUnitOfWork, offsetClock } from '../store/unit-of-work.ts';
import { runCommand } from './commands.ts';

const LEDGER_TIMEOUT_MS = 30_000;

const config = loadOpsConfig();
const ledger = config.ledger && createLedger({ ...config.ledger, timeoutMs: LEDGER_TIMEOUT_MS });
const db = openDatabase(
  config.databaseUrl,
  (error) => {
    process.stderr.write(`${error.message}\n`);
  },
  2,
);
const ids = createIds({ clock: wallClock, random: randomBytes });
try {
  const { ok, output } = await runCommand(
    {
      db,
      ledger,
      encryption: config.encryptionKeys && createEncryption(config.encryptionKeys),
      unitOfWork: createUnitOfWork(db, offsetClock(wallClock), ids),
    },
    process.argv.slice(2),
  );
  process.stdout.write(`${output}\n`);
  process.exitCode = ok ? 0 : 1;
} finally {
  await db.destroy();
}
