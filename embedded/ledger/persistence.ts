import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const hex = z.string().regex(/^([0-9a-f]{2})+$/);

const Entry = z.union([
  z.strictObject({ block: z.int(), txs: z.array(hex).optional() }),
  z.strictObject({ genesis: hex, slot: z.int(), salt: z.string() }),
  z.strictObject({ rollbackTo: z.int().min(0), salt: z.string() }),
  z.strictObject({ clockOffsetMs: z.int() }),
]);

/** One line of the journal: a block, the genesis, a rollback, or a move of the clock. */
export type JournalEntry = z.infer<typeof Entry>;

/** Everything the ledger keeps across restarts; an entry is appended before its effect is visible. */
export interface Journal {
  read(): JournalEntry[];
  append(entry: JournalEntry): void;
  close(): void;
}

/** A journal file in `folder`. A last line that a kill left incomplete was never visible to anyone and is dropped. */
export function fileJournal(folder: string): Journal {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'chain.jsonl');
  const file = openSync(path, 'a+');
  ftruncateSync(file, readFileSync(path).lastIndexOf('\n') + 1);

  return {
    read: () => parse(readFileSync(path, 'utf8'), path),
    append(entry) {
      // A synchronous write reaches the operating system before anyone sees the block, so SIGKILL loses nothing.
      const line = Buffer.from(`${JSON.stringify(entry)}\n`);
      if (writeSync(file, line) !== line.length) throw new Error(`${path}: the disk is full`);
    },
    close() {
      closeSync(file);
    },
  };
}

/** A journal that stores nothing. */
export function noJournal(): Journal {
  return { read: () => [], append: () => undefined, close: () => undefined };
}

function parse(text: string, path: string): JournalEntry[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line, index) => {
    const entry = Entry.safeParse(JSON.parse(line));
    if (!entry.success) throw new Error(`${path}:${index + 1} is not a journal entry`, { cause: entry.error });
    return entry.data;
  });
}
