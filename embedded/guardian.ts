/**
 * Outlives the supervisor by as long as it takes to end its children: when the supervisor is gone for whatever reason
 * (SIGKILL too), its pipe closes and everything it had started is ended, newest first. Holds the lock on the data folder
 * meanwhile, so that a next start cannot meet the last one's children.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createInterface } from 'node:readline';
import type { GuardianMessage } from './supervisor.ts';
import { endProcess } from './process-life.ts';

const graceMs = 10_000;
const children = new Map<number, NodeJS.Signals>();

process
  .on('SIGINT', () => undefined)
  .on('SIGTERM', () => undefined)
  .on('SIGHUP', () => undefined);
const held = lockFolder(process.argv[2] ?? '.', Number(process.argv[3] ?? 0));
process.stdout.write(`${JSON.stringify({ ready: true, held: held !== undefined })}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as GuardianMessage;
  if ('started' in message) children.set(message.started, message.stopSignal);
  else children.delete(message.ended);
}
for (const [pid, signal] of [...children].reverse()) await endProcess(pid, signal, graceMs);
held?.close();

/** The lock is the operating system's, on an open file: it cannot be left behind. Undefined when another process has it. */
function lockFolder(folder: string, waitMs: number): DatabaseSync | undefined {
  const database = new DatabaseSync(join(folder, 'lock'));
  try {
    database.exec(`PRAGMA busy_timeout = ${waitMs}; BEGIN EXCLUSIVE`);
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && error.message.includes('locked')) return undefined;
    throw error;
  }
}
