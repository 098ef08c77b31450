import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize } from 'node:v8';
import { jest } from '@jest/globals';
import pg from 'pg';
import { correlationId } from '../../src/platform/observability/logger.ts';

/** What each process keeps in memory, and reads now and then: who calls, the clock and limits. */
export const cached = /\bfrom "?(api_keys|sessions)\b.* = any\(|\bfrom "?clock_offset\b|rate_limits/s;

/** A statement that was sent to Postgres, with the parameters of one call. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Records every statement that this process sends from now on and that reads or writes rows. */
export function recordStatements(): {
  statements(ofRequest?: string): Statement[];
  /** Those that any request sent. */
  ofRequests(): Statement[];
} & Disposable {
  const sent: (Statement & { readonly correlationId: string | undefined })[] = [];
  const query = Reflect.get(pg.Client.prototype, 'query') as (...args: unknown[]) => unknown;
  const spy = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: unknown, ...args: unknown[]) {
    const { text, values } = statementOf(args);
    if (/^\s*(select|insert|update|delete|with)\b/i.test(text))
      sent.push({ text, values, correlationId: correlationId() });
    return query.apply(this, args);
  });
  return {
    /** Those that a request sent, by its correlation id, or all. */
    statements: (ofRequest) => sent.filter((one) => ofRequest === undefined || one.correlationId === ofRequest),
    ofRequests: () => sent.filter((one) => one.correlationId !== undefined),
    [Symbol.dispose]: () => {
      spy.mockRestore();
    },
  };
}

/** The different statements that the processes of a stack have sent, from its `statementsFolder`. */
export async function recordedIn(folder: string): Promise<Statement[]> {
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  const lines = files.flatMap((file) => file.split('\n').filter((line) => line !== ''));
  return lines.map((line) => {
    const [text, values] = deserialize(Buffer.from(line, 'base64')) as [string, unknown[]];
    return { text, values };
  });
}

/** `query` accepts a text with its values, or both and a name in one object. */
function statementOf([query, values]: readonly unknown[]): Statement {
  const { text = '', values: named } = (typeof query === 'string' ? { text: query } : query) as Partial<Statement>;
  const given = named ?? values;
  return { text, values: Array.isArray(given) ? given : [] };
}
