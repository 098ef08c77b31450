/**
 * Outlives the supervisor to end its children: when the supervisor ends for whatever reason
 * (SIGKILL too), its pipe closes and the guardian ends every process it started, newest first. It holds the lock on the data folder
 * until then, so that the next start never runs beside children of the last one.
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

/** A lock of the operating system on an open file, so it ends with the process. Undefined when another process has it. */
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
