import { setTimeout } from 'node:timers/promises';
import { eventChannel } from '../src/events/queries/events.ts';
import { readMetrics, valueOf } from '../test/stack/metrics.ts';
import type { BaselineInput } from './baseline-api.ts';
import { startChildApi } from './child-api.ts';
import { machine } from './machine.ts';
import { pacedGet } from './paced-get.ts';
import { quantile } from './quantiles.ts';
import { type ReadPath, readPaths } from './read-paths.ts';
import { type Reader, walletReaders } from './readers.ts';
import { recordReads } from './recorded-reads.ts';
import { repeatGet } from './repeat-get.ts';
import { type BenchStack, benchStack } from './stack.ts';

const CONNECTIONS = 20;
/** Of the service's pool, and of the baseline's. */
const DATABASE_CONNECTIONS = 10;
const ROUNDS = 5;
/** Each connection to Postgres plans a statement again for the first five times. */
const WARM_UP_SECONDS = 0.6;
/** Each connection takes turns between ten of them. Something has changed before one of them reads again: no response is reused. */
const WALLETS = 10 * CONNECTIONS;
const CHANGE_EVERY_MS = 50;
/** Reads that are also repeated with the tag of their response: no block and no price changes them. */
const TAGGED = ['vault, open', 'proposal', 'stake', 'vaults', 'proposals', 'stakes'];
/** Reads a second of one api, and how long. */
const PACE = { perSecond: 100, seconds: 10 };

/** A read of the service. */
interface ReadCase extends ReadPath {
  readonly body: string;
}

interface Bench {
  readonly stack: BenchStack;
  readonly baselineUrl: string;
  readonly readers: readonly Reader[];
  readonly seconds: number;
}

/**
 * Reads per second with 20 connections, beside Express routes that keep nothing. Without the cache: each connection reads for other wallets, and
 * something changes all the time; beside it a route that runs the same statements and sends their rows. Hot: one key, nothing changes; beside
 * it a route that sends the same bytes. Options: a part of the names of the reads to measure, and the seconds of a round.
 */
export async function http(print: (line: string) => void, part = '', seconds = '0.2'): Promise<void> {
  await using stack = await benchStack({ LOG_LEVEL: 'info', RATE_LIMIT_DEFAULT: '1000000000' });
  print(`${machine()}; ${CONNECTIONS} connections, medians of ${ROUNDS} rounds of ${seconds} s`);
  const cases = await readCases(stack, part);
  const readers = await walletReaders(stack, WALLETS);
  const recorded = await recordReads(
    stack,
    cases.map(({ path }) => path),
    readers[0] ?? {},
  );
  const input: BaselineInput = {
    databaseUrl: stack.databaseUrl,
    connections: DATABASE_CONNECTIONS,
    reads: cases.map(({ path, body }) => ({
      path,
      body: JSON.parse(body) as unknown,
      statements: recorded.get(path) ?? [],
    })),
  };
  await using baseline = await startChildApi('./baseline-api.ts', input);
  const bench = { stack, baselineUrl: baseline.url, readers, seconds: Number(seconds) };
  const reached = new Map<string, number[]>();
  for (const line of HEAD) print(line);
  for (const one of cases) {
    const { cells, ratios } = await measure(bench, one);
    print(row([one.name, String(Buffer.byteLength(one.body)), ...cells, ...Array<string>(11 - cells.length).fill('')]));
    for (const [name, ratio] of ratios) reached.set(name, [...(reached.get(name) ?? []), ratio]);
  }
  print('');
  for (const [name, aim] of AIMS) print(summary(name, aim, reached.get(name) ?? []));
  print(await paced(bench, cases));
  print(machine());
}

const AIMS: readonly [name: string, aim: number][] = [
  ['single, of the SQL baseline', 0.3],
  ['page, of the SQL baseline', 0.25],
  ['hot, of the static route', 0.5],
  ['hot 304, of the static route', 0.5],
];
const COLUMNS = ['Read', 'Bytes', 'Statements', 'CPU ms', 'Reads/s', 'SQL/s', 'Of it', 'Hot/s', 'Static/s', 'Of it'];
const HEAD = ['', row([...COLUMNS, 'Hot 304/s', 'Static 304/s', 'Of it']), row(Array(13).fill('---'))];

function summary(name: string, aim: number, ratios: readonly number[]): string {
  if (ratios.length === 0) return `${name}: not measured`;
  const [lowest, median] = [0, 0.5].map((share) => quantile(ratios, Math.max(share, Number.EPSILON)).toFixed(2));
  const below = ratios.filter((ratio) => ratio < aim).length;
  return `${name}: median ${median}, lowest ${lowest} (aim ${aim.toFixed(2)}, ${below} of ${ratios.length} below)`;
}

async function readCases(stack: BenchStack, part: string): Promise<ReadCase[]> {
  const cases: ReadCase[] = [];
  for (const read of await readPaths(stack)) {
    if (!read.name.includes(part)) continue;
    const { status, body } = await stack.root.get(read.path);
    if (status !== 200) throw new Error(`${read.path} answered ${status}: ${JSON.stringify(body)}`);
    cases.push({ ...read, body: JSON.stringify(body) });
  }
  return cases;
}

/** Medians of rounds, in which the service and its baselines are measured alternately: each gets the same share of other load. */
async function measure(bench: Bench, { name, path, kind }: ReadCase) {
  const { uncached, others } = roundsOf(bench, path, TAGGED.includes(name));
  await uncached(WARM_UP_SECONDS);
  await others.asSql(WARM_UP_SECONDS);
  const [rates, costs]: [number[][], Cost[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { rate, ...cost } = await uncached(bench.seconds);
    const rounds = [rate];
    for (const measureRate of Object.values(others)) rounds.push(await measureRate(bench.seconds));
    rates.push(rounds);
    costs.push(cost);
  }
  const median = (values: readonly number[]) => quantile(values, 0.5);
  const medians = (rates[0] ?? []).map((_, place) => median(rates.map((rounds) => rounds[place] ?? NaN)));
  const pairs = Array.from({ length: medians.length / 2 }, (_, place) => medians.slice(2 * place, 2 * place + 2));
  const ratios = pairs.map(([own = NaN, other = NaN]) => own / other);
  const cells = [
    median(costs.map(({ statements }) => statements)).toFixed(1),
    median(costs.map(({ milliseconds }) => milliseconds)).toFixed(2),
    ...pairs.flatMap((pair, place) => [
      ...pair.map((rate) => Math.round(rate).toLocaleString('en')),
      (ratios[place] ?? NaN).toFixed(2),
    ]),
  ];
  const aims = [`${kind}, of the SQL baseline`, 'hot, of the static route', 'hot 304, of the static route'];
  return { cells, ratios: ratios.map((ratio, place) => [aims[place] ?? '', ratio] as const) };
}

/** What a read costs the api: statements, and CPU. */
interface Cost {
  readonly statements: number;
  readonly milliseconds: number;
}

/** Measures reads per second for so many seconds. */
type Round = (seconds: number) => Promise<number>;

function roundsOf({ stack, baselineUrl, readers }: Bench, path: string, isTagged: boolean) {
  const hot = { 'X-API-Key': stack.adminKey };
  const own = new URL(path, stack.apiUrl);
  const [asSql, asBytes] = ['sql', 'static'].map((name) => new URL(`/${name}${path}`, baselineUrl)) as [URL, URL];
  const load = { connections: CONNECTIONS, status: 200 };
  const unchanged = async (url: URL, seconds: number) => {
    const { headers } = await fetch(url, { headers: hot });
    const tagged = { ...hot, 'If-None-Match': headers.get('etag') ?? '' };
    return repeatGet({ ...load, url, readers: [tagged], status: 304, seconds });
  };
  const others: Readonly<Record<'asSql' | 'hot' | 'asBytes', Round>> = {
    asSql: (seconds) => repeatGet({ ...load, url: asSql, readers: [{}], seconds }),
    hot: (seconds) => repeatGet({ ...load, url: own, readers: [hot], seconds }),
    asBytes: (seconds) => repeatGet({ ...load, url: asBytes, readers: [{}], seconds }),
    ...(isTagged && {
      hotUnchanged: (seconds: number) => unchanged(own, seconds),
      bytesUnchanged: (seconds: number) => unchanged(asBytes, seconds),
    }),
  };
  return {
    others,
    uncached: async (seconds: number): Promise<Cost & { readonly rate: number }> => {
      await using _changes = changeAgain(stack);
      const before = await usage(stack);
      const began = performance.now();
      const rate = await repeatGet({ ...load, url: own, readers, seconds });
      const reads = (rate * (performance.now() - began)) / 1000;
      const after = await usage(stack);
      const milliseconds = (after.cpuSeconds - before.cpuSeconds) * 1000;
      return { rate, statements: (after.statements - before.statements) / reads, milliseconds: milliseconds / reads };
    },
  };
}

/** How long reads take that come at a steady rate, none of which reuses a response. */
async function paced({ stack, readers }: Bench, cases: readonly ReadCase[]): Promise<string> {
  const urls = cases.map(({ path }) => new URL(path, stack.apiUrl));
  await using _changes = changeAgain(stack);
  const latencies = await pacedGet({ urls, readers, ...PACE });
  const [p50, p95, max] = [0.5, 0.95, 1].map((share) => quantile(latencies, share).toFixed(1));
  return `${PACE.perSecond} reads/s without the cache: p50 ${p50} ms, p95 ${p95} ms (aim 40), max ${max} ms (n = ${latencies.length})`;
}

/** Tells the api again and again of a change, until it is disposed of: no response is reused. */
function changeAgain({ sql }: BenchStack): AsyncDisposable {
  const ended = new AbortController();
  const changing = (async () => {
    while (!ended.signal.aborted) {
      await sql.query('select pg_notify($1, $2)', [eventChannel, '']);
      await setTimeout(CHANGE_EVERY_MS);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      ended.abort();
      await changing;
    },
  };
}

/** What the api has used since its start. */
async function usage(stack: BenchStack) {
  const text = await readMetrics(stack.metricsUrl);
  const read = (series: string) => valueOf(text, series) ?? 0;
  return {
    statements: read('database_statements_total{pool="foreground"}'),
    cpuSeconds: read('process_cpu_seconds_total'),
  };
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
