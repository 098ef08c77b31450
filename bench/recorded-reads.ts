import { readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { processRoles } from '../src/platform/database/roles/prepare-database.ts';
import { until } from '../test/stack/until.ts';
import type { Reader } from './readers.ts';
import type { BenchStack } from './stack.ts';

/** A statement with the values of one call, as Postgres writes them into its log. */
export interface SentStatement {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/** What each process sends whoever reads: who calls, the clock, limits, the numbers of events. */
const OF_EVERY_READ =
  /\bfrom "?(api_keys|sessions)\b.* = any\(|clock_offset|rate_limits|seq is null|pg_current_snapshot/s;

/** The statements that the api sends for each read of a reader, by its path. Postgres logs them, so that the api runs as it is. */
export async function recordReads(
  stack: BenchStack,
  paths: readonly string[],
  reader: Reader,
): Promise<ReadonlyMap<string, readonly SentStatement[]>> {
  const log = join(stack.dataFolder, 'logs', 'postgres.log');
  const settings = { log_line_prefix: `'%u|'`, log_min_duration_statement: '0', log_parameter_max_length: '-1' };
  for (const [name, value] of Object.entries(settings)) await stack.sql.query(`alter system set ${name} = ${value}`);
  await reload(stack);
  const recorded = new Map<string, readonly SentStatement[]>();
  for (const path of paths) {
    const before = (await readFile(log)).length;
    const { status } = await fetch(new URL(path, stack.apiUrl), { headers: { ...reader } });
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    // What comes after a read in the log has been written after it.
    const mark = `after ${path}`;
    await stack.sql.query('select $1::text', [mark]);
    const written = await until(
      async () => {
        const text = (await readFile(log)).subarray(before).toString();
        return text.includes(mark) && text;
      },
      { what: 'the log of Postgres' },
    );
    const sent = statementsIn(written).filter(({ text }) => !OF_EVERY_READ.test(text));
    if (sent.length === 0) throw new Error(`the api read nothing for ${path}`);
    recorded.set(path, sent);
  }
  for (const name of Object.keys(settings)) await stack.sql.query(`alter system reset ${name}`);
  await reload(stack);
  // Values may be secrets.
  await truncate(log);
  return recorded;
}

async function reload({ sql }: BenchStack): Promise<void> {
  await sql.query('select pg_reload_conf()');
  // Every backend reads the settings before its next statement; the postmaster has told them by then.
  await sql.query('select pg_sleep(0.5)');
}

/** The reads of the api in the lines that Postgres has logged: `execute` with its text, then its parameters. */
function statementsIn(log: string): SentStatement[] {
  const entries = log.split(/^(?=\S*\|)/m).map((entry) => entry.replaceAll('\n\t', '\n').trimEnd());
  return entries.flatMap((entry, place) => {
    const found = /^(\w+)\|LOG: {2}duration: [\d.]+ ms {2}execute [^:]+: (select|with)\b(.*)$/s.exec(entry);
    if (found?.[1] !== processRoles.api) return [];
    const [, , verb = '', rest = ''] = found;
    const detail = /\|DETAIL: {2}Parameters: (.*)$/is.exec(entries[place + 1] ?? '')?.[1] ?? '';
    const values = [...detail.matchAll(/\$\d+ = (?:NULL|'((?:[^']|'')*)')/g)];
    return [{ text: verb + rest, values: values.map(([, value]) => value?.replaceAll("''", "'") ?? null) }];
  });
}
