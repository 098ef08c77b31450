import pg from 'pg';
import { readMetrics, valueOf } from '../test/stack/metrics.ts';
import type { BareInput } from './bare-api.ts';
import { startChildApi } from './child-api.ts';
import { machine } from './machine.ts';
import { quantile } from './quantiles.ts';
import { readPaths } from './read-paths.ts';
import { repeatGet } from './repeat-get.ts';
import { type BenchStack, benchStack } from './stack.ts';

const CONNECTIONS = 20;
/** Of the service's pool, and of the one that sends bare queries. */
const DATABASE_CONNECTIONS = 10;
const ROUNDS = 3;
const WARM_UP_SECONDS = 0.5;
/** Reads that are also repeated with the entity tag of their response. */
const TAGGED = ['vault, open', 'proposal', 'asset', 'vaults', 'proposals'];

/** A read of the service. */
interface ReadCase {
  readonly name: string;
  readonly path: string;
  readonly body: string;
  /** Null to get the body. */
  readonly tag: string | null;
}

interface Targets {
  readonly stack: BenchStack;
  readonly bareUrl: string;
  readonly pool: pg.Pool;
}

/**
 * Reads per second with 20 connections, beside Express routes that answer the same bodies and queries that read them from a table. The
 * three take turns. Options: a part of the names of the reads to measure, and the seconds of a turn.
 */
export async function http(print: (line: string) => void, part = '', seconds = '2'): Promise<void> {
  await using stack = await benchStack({ LOG_LEVEL: 'info' });
  print(machine());
  print(`${CONNECTIONS} connections, medians of ${ROUNDS} turns of ${seconds} s`);
  const cases = (await readCases(stack)).filter(({ name }) => name.includes(part));
  const input: BareInput = { apiUrl: stack.apiUrl, adminKey: stack.adminKey, paths: cases.map(({ path }) => path) };
  await using bare = await startChildApi('./bare-api.ts', input);
  const pool = new pg.Pool({ connectionString: stack.databaseUrl, max: DATABASE_CONNECTIONS });
  try {
    await storeBodies(pool, cases);
    print(row(['read', 'bytes', 'reads/s', 'bare/s', 'ratio', 'query/s', 'ratio', 'statements', 'CPU ms']));
    for (const each of cases) print(row(await measure({ stack, bareUrl: bare.url, pool }, each, Number(seconds))));
  } finally {
    await pool.end();
  }
}

async function readCases({ api, ...stack }: BenchStack): Promise<ReadCase[]> {
  const cases: ReadCase[] = [];
  const tagged: ReadCase[] = [];
  for (const [name, path] of await readPaths({ api, ...stack })) {
    const { status, headers, body } = await api.get(path);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
    const read = { name, path: `/api/v1${path}`, body: JSON.stringify(body) };
    cases.push({ ...read, tag: null });
    if (TAGGED.includes(name)) tagged.push({ ...read, name: `${name}, 304`, tag: headers.get('etag') });
  }
  return [...cases, ...tagged];
}

async function storeBodies(pool: pg.Pool, cases: readonly ReadCase[]): Promise<void> {
  await pool.query('create table bench_bodies (path text primary key, body text not null)');
  for (const { path, body } of cases)
    await pool.query('insert into bench_bodies values ($1, $2) on conflict do nothing', [path, body]);
}

async function measure({ stack, bareUrl, pool }: Targets, read: ReadCase, seconds: number): Promise<string[]> {
  const { name, path, body, tag } = read;
  const load = { connections: CONNECTIONS, status: 200 };
  const own = {
    ...load,
    url: new URL(path, stack.apiUrl),
    headers: { 'X-API-Key': stack.adminKey, ...(tag !== null && { 'If-None-Match': tag }) },
    status: tag === null ? 200 : 304,
  };
  const others = { ...load, url: new URL(path, bareUrl), headers: {} };
  await repeatGet({ ...own, seconds: WARM_UP_SECONDS });
  await repeatGet({ ...others, seconds: WARM_UP_SECONDS });
  const turns: { service: number; bare: number; query: number }[] = [];
  let [count, statements, cpuSeconds] = [0, 0, 0];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await usage(stack);
    const service = await repeatGet({ ...own, seconds });
    const after = await usage(stack);
    count += service * seconds;
    statements += after.statements - before.statements;
    cpuSeconds += after.cpuSeconds - before.cpuSeconds;
    const bare = await repeatGet({ ...others, seconds });
    turns.push({ service, bare, query: await repeatQuery(pool, path, seconds) });
  }
  const [service = NaN, bare = NaN, query = NaN] = (['service', 'bare', 'query'] as const).map((what) =>
    quantile(
      turns.map((turn) => turn[what]),
      0.5,
    ),
  );
  const ratios = [bare, query].map((other) => [other.toFixed(0), (service / other).toFixed(2)]);
  const costs = [(statements / count).toFixed(1), ((cpuSeconds * 1000) / count).toFixed(2)];
  return [name, String(Buffer.byteLength(body)), service.toFixed(0), ...ratios.flat(), ...costs];
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

/** What the api has used since its start. */
async function usage({ metricsUrl }: BenchStack): Promise<{ statements: number; cpuSeconds: number }> {
  const text = await readMetrics(metricsUrl);
  const read = (series: string) => valueOf(text, series) ?? 0;
  return {
    statements: read('database_statements_total{pool="foreground"}'),
    cpuSeconds: read('process_cpu_seconds_total'),
  };
}

function row([name = '', ...figures]: readonly string[]): string {
  return name.padEnd(18) + figures.map((figure) => figure.padStart(11)).join('');
}
