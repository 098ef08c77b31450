import pg from 'pg';
import { processRoles } from '../src/platform/database/roles/grant-to-roles.ts';
import { readMetrics, valueOf } from '../test/stack/metrics.ts';
import type { BareInput } from './bare-api.ts';
import { startChildApi } from './child-api.ts';
import { machine } from './machine.ts';
import { type Backend, backends } from './postgres-cpu.ts';
import { quantile } from './quantiles.ts';
import { type ReadMode, readModes } from './read-modes.ts';
import { readPaths } from './read-paths.ts';
import { type Repeated, type RepeatedGet, repeatGet } from './repeat-get.ts';
import { type BenchStack, benchStack } from './stack.ts';

const CONNECTIONS = 20;
/** Of the service's pool, and of the one that sends bare queries. */
const DATABASE_CONNECTIONS = 10;
const ROUNDS = 3;
const WARM_UP_SECONDS = 0.2;
/** Each connection to Postgres plans a statement anew for the first five times. */
const PLANNED_AFTER_READS = 16 * DATABASE_CONNECTIONS;
/** Reads that are also repeated with the entity tag of their response. */
const TAGGED = ['vault, open', 'proposal', 'asset', 'vaults', 'proposals'];

/** A read of the service. */
interface ReadCase {
  readonly name: string;
  readonly path: string;
  readonly body: string;
  /** Whether it is read with the entity tag of its response. */
  readonly isTagged: boolean;
}

interface Targets {
  readonly stack: BenchStack;
  readonly bareUrl: string;
  readonly pool: pg.Pool;
}

/**
 * Reads per second with 20 connections, beside Express routes that answer the same bodies and queries that read them from a table, which
 * take turns: reads that are kept, those that have changed since, and those of many wallets. Options: a part of the names of the reads to
 * measure, and the seconds of a turn.
 */
export async function http(print: (line: string) => void, part = '', seconds = '0.3'): Promise<void> {
  await using stack = await benchStack({ LOG_LEVEL: 'info', RATE_LIMIT_DEFAULT: '1000000000' });
  print(`${machine()}; ${CONNECTIONS} connections, medians of ${ROUNDS} turns of ${seconds} s`);
  const cases = (await readCases(stack)).filter(({ name }) => name.includes(part));
  const input: BareInput = { apiUrl: stack.apiUrl, adminKey: stack.adminKey, paths: cases.map(({ path }) => path) };
  await using bare = await startChildApi('./bare-api.ts', input);
  const pool = new pg.Pool({ connectionString: stack.databaseUrl, max: DATABASE_CONNECTIONS });
  try {
    await storeBodies(pool, cases);
    const modes = await readModes(stack, vaultsOf(cases), CONNECTIONS);
    const tables = new Map(modes.map(({ name }) => [name, [] as string[]]));
    for (const each of cases) {
      const own = each.isTagged ? modes.filter(({ isTagged }) => isTagged) : modes;
      for (const [mode, row] of await measure({ stack, bareUrl: bare.url, pool }, each, own, Number(seconds)))
        tables.get(mode.name)?.push(row);
    }
    for (const [name, rows] of tables) for (const line of ['', `${name}:`, '', ...HEAD, ...rows]) print(line);
    print(`\n${machine()}`);
  } finally {
    await pool.end();
  }
}

const COLUMNS = ['Read', 'Bytes', 'Kept', 'Statements', 'CPU ms', 'of Postgres', 'of others there', 'Reads/s'];
const HEAD = [
  row([...COLUMNS, 'Bare route/s', 'Of bare', 'Bare query/s', 'Of it']),
  row([...COLUMNS, '', '', '', ''].map(() => '---')),
];

/** The vaults that are named in the paths. */
function vaultsOf(cases: readonly ReadCase[]): string[] {
  return [...new Set(cases.flatMap(({ path }) => /\/vaults\/([^/]+)/.exec(path)?.[1] ?? []))];
}

async function readCases({ api, ...stack }: BenchStack): Promise<ReadCase[]> {
  const cases: ReadCase[] = [];
  const tagged: ReadCase[] = [];
  for (const [name, path] of await readPaths({ api, ...stack })) {
    const { status, body } = await api.get(path);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
    const read = { name, path: `/api/v1${path}`, body: JSON.stringify(body) };
    cases.push({ ...read, isTagged: false });
    if (TAGGED.includes(name)) tagged.push({ ...read, name: `${name}, 304`, isTagged: true });
  }
  return [...cases, ...tagged];
}

async function storeBodies(pool: pg.Pool, cases: readonly ReadCase[]): Promise<void> {
  await pool.query('create table bench_bodies (path text primary key, body text not null)');
  for (const { path, body } of cases)
    await pool.query('insert into bench_bodies values ($1, $2) on conflict do nothing', [path, body]);
}

/** What turns of one kind have come to. */
interface Turns {
  readonly rates: number[];
  count: number;
  kept: number;
  statements: number;
  cpuSeconds: number;
  /** Of Postgres, for the api. */
  postgresSeconds: number;
  /** Of Postgres, for whoever else works meanwhile: above all the changes. */
  otherSeconds: number;
}

/** A row for each mode. All take turns, so that each has its share of what else the machine does. */
async function measure(
  { stack, bareUrl, pool }: Targets,
  { name, path, body, isTagged }: ReadCase,
  modes: readonly ReadMode[],
  seconds: number,
): Promise<Map<ReadMode, string>> {
  // Prices change during the bench.
  const tag = isTagged ? (await stack.root.get(path)).headers.get('etag') : null;
  const load = { connections: CONNECTIONS, status: tag === null ? 200 : 304 };
  const tagged = tag === null ? {} : { 'If-None-Match': tag };
  const own = { ...load, url: new URL(path, stack.apiUrl) };
  const bareLoad = { ...load, status: 200, url: new URL(path, bareUrl), readers: [{}] };
  const turns = new Map(modes.map((mode) => [mode, newTurns()]));
  const [bare, query]: [number[], number[]] = [[], []];
  const readTurn: ReadTurn = async ({ readers, begin }, length) => {
    await using _changes = await begin();
    return await repeatGet({
      ...own,
      readers: readers.map((reader) => ({ ...reader, ...tagged })),
      length,
    });
  };
  for (const mode of modes) await warmUp(mode, readTurn);
  await repeatGet({ ...bareLoad, length: { seconds: WARM_UP_SECONDS } });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [mode, sum] of turns) {
      const before = await usage(stack);
      const read = await readTurn(mode, mode.times === null ? { seconds } : { times: mode.times });
      add(sum, read, before, await usage(stack));
    }
    bare.push(rateOf(await repeatGet({ ...bareLoad, length: { seconds } })));
    query.push(await repeatQuery(pool, path, seconds));
  }
  const bytes = String(Buffer.byteLength(body));
  const others = [quantile(bare, 0.5), quantile(query, 0.5)];
  return new Map(modes.map((mode) => [mode, row([name, bytes, ...figuresOf(turns.get(mode) ?? newTurns(), others)])]));
}

type ReadTurn = (mode: ReadMode, length: RepeatedGet['length']) => Promise<Repeated>;

/** Reads that are kept send no statement that has to be planned. */
async function warmUp(mode: ReadMode, readTurn: ReadTurn): Promise<void> {
  const times = Math.ceil(PLANNED_AFTER_READS / mode.readers.length);
  await readTurn(mode, mode.isTagged ? { seconds: WARM_UP_SECONDS } : { times });
}

const newTurns = (): Turns => {
  return { rates: [], count: 0, kept: 0, statements: 0, cpuSeconds: 0, postgresSeconds: 0, otherSeconds: 0 };
};

const rateOf = ({ count, seconds }: Repeated) => count / seconds;

function add(sum: Turns, read: Repeated, before: Usage, after: Usage): void {
  sum.rates.push(rateOf(read));
  sum.count += read.count;
  sum.kept += after.kept - before.kept;
  sum.statements += after.statements - before.statements;
  sum.cpuSeconds += after.cpuSeconds - before.cpuSeconds;
  for (const [pid, { role, seconds }] of after.backends) {
    const grown = seconds - (before.backends.get(pid)?.seconds ?? 0);
    if (role === processRoles.api) sum.postgresSeconds += grown;
    else sum.otherSeconds += grown;
  }
}

function figuresOf({ rates, count, ...sums }: Turns, others: readonly number[]): string[] {
  const rate = quantile(rates, 0.5);
  const milliseconds = (seconds: number) => ((seconds * 1000) / count).toFixed(2);
  const costs = [
    (sums.kept / count).toFixed(2),
    (sums.statements / count).toFixed(1),
    milliseconds(sums.cpuSeconds),
    milliseconds(sums.postgresSeconds),
    milliseconds(sums.otherSeconds),
  ];
  const ratios = others.flatMap((other) => [thousands(other), (rate / other).toFixed(2)]);
  return [...costs, thousands(rate), ...ratios];
}

/** Queries per second that read the body by its primary key. */
async function repeatQuery(pool: pg.Pool, path: string, seconds: number): Promise<number> {
  const began = performance.now();
  let count = 0;
  const connection = async () => {
    while (performance.now() < began + seconds * 1000) {
      await pool.query('select body from bench_bodies where path = $1', [path]);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return count / ((performance.now() - began) / 1000);
}

interface Usage {
  readonly statements: number;
  readonly cpuSeconds: number;
  readonly backends: ReadonlyMap<number, Backend>;
  readonly kept: number;
}

/** What the api has used since its start. */
async function usage(stack: BenchStack): Promise<Usage> {
  const text = await readMetrics(stack.metricsUrl);
  const read = (series: string) => valueOf(text, series) ?? 0;
  return {
    statements: read('database_statements_total{pool="foreground"}'),
    cpuSeconds: read('process_cpu_seconds_total'),
    backends: await backends(stack),
    kept: read('reads_total{outcome="kept"}'),
  };
}

const thousands = (rate: number) => Math.round(rate).toLocaleString('en');

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
