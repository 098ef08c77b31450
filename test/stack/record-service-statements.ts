/**
 * Runs before the main module of a process of the service: writes each different statement that it sends to Postgres into
 * `STATEMENTS_FOLDER`, with the values of its first call.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import pg from 'pg';

const { STATEMENTS_FOLDER: folder } = process.env;
// The threads of a worker run this, too, and send no statements.
if (folder !== undefined && isMainThread) recordInto(folder);

function recordInto(of: string): void {
  mkdirSync(of, { recursive: true });
  const file = join(of, String(process.pid));
  const seen = new Set<string>();
  const { prototype } = pg.Client;
  const query = Reflect.get(prototype, 'query') as (...args: unknown[]) => unknown;
  Reflect.set(prototype, 'query', function (this: unknown, ...args: unknown[]) {
    const [sent, others] = args as [string | { text?: string; values?: unknown } | undefined, unknown];
    const { text = '', values = others } = typeof sent === 'string' ? { text: sent } : (sent ?? {});
    if (!seen.has(text) && /^\s*(select|insert|update|delete|with)\b/i.test(text)) {
      seen.add(text);
      // At once: a test may kill the process.
      appendFileSync(file, `${serialize([text, Array.isArray(values) ? values : []]).toString('base64')}\n`);
    }
    return query.apply(this, args);
  });
}
