import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../src/platform/database/database.ts';
import { commitEvents } from '../test/events/record-events.ts';
import { person } from '../test/vault-lifecycle/participants.ts';
import { until } from '../test/stack/until.ts';
import { createVault } from '../test/vault-lifecycle/vault-requests.ts';
import type { BroadcastInput } from './bare-broadcast.ts';
import type { ClientsInput, ClientsResult } from './event-clients.ts';
import { machine } from './machine.ts';
import { type BenchStack, benchStack } from './stack.ts';
import { vitals } from './vitals.ts';

const CLIENTS = 1_000;
const STREAMS = 200;
const P99_AIM_MS = 250;
/** A key may have 100 connections from one IP address. */
const KEYS = 10;
const VAULTS = 100;
const EVENTS_PER_SECOND = 200;

interface Run {
  readonly vaultIds: readonly string[];
  readonly clients: number;
  readonly seconds: number;
}

/**
 * How late events reach 1,000 clients of socket.io while 200 are committed in a second, beside a bare server of socket.io that sends the
 * same messages: when all follow one vault, and when they follow 100; and how late they reach 200 clients of server-sent events that follow
 * one vault. Says whether 99 % come in time. Throws when an event is lost, comes twice or in another order. Options: the seconds of a run, and a part
 * of the name of the topics to measure.
 */
export async function events(print: (line: string) => void, seconds = '60', part = ''): Promise<void> {
  await using stack = await benchStack();
  print(machine());
  print(`${CLIENTS} clients, ${EVENTS_PER_SECOND} events/s for ${seconds} s; latencies in ms, CPU in cores`);
  const apiKeys = await Promise.all(Array.from({ length: KEYS }, (_, number) => newKey(stack, number)));
  const vaultIds: string[] = [];
  for (let made = 0; made < VAULTS; made += 1) vaultIds.push(await createVault(stack, person(1).address));
  await untilIdle(stack);
  print(row(['', 'deliveries/s', 'lost', 'p50', 'p99', 'max', 'server CPU', 'clients CPU', `p99 < ${P99_AIM_MS}`]));
  for (const followed of [vaultIds.slice(0, 1), vaultIds]) {
    const run = { vaultIds: followed, clients: CLIENTS, seconds: Number(seconds) };
    const name = followed.length === 1 ? 'one vault' : `${followed.length} vaults`;
    if (!name.includes(part)) continue;
    print(row([`${name}, bare`, ...(await bareRun(run))]));
    print(row([`${name}, service`, ...(await serviceRun(stack, apiKeys, run, './event-clients.ts'))]));
  }
  if (!'one vault, streams'.includes(part)) return;
  const run = { vaultIds: vaultIds.slice(0, 1), clients: STREAMS, seconds: Number(seconds) };
  print(row([`one vault, ${STREAMS} streams`, ...(await serviceRun(stack, apiKeys, run, './stream-clients.ts'))]));
}

/** Waits until no transaction is under way any more, and with it no workflow of a vault. */
async function untilIdle({ sql }: BenchStack): Promise<void> {
  const isIdle = async () => {
    const { rows } = await sql.query(
      "select from chain_transactions where state not in ('final', 'expired', 'failed') limit 1",
    );
    return rows.length === 0;
  };
  await until(isIdle, { what: 'every transaction to be final' });
}

async function newKey({ api }: BenchStack, number: number): Promise<string> {
  const answer = await api.post<{ data: { key: string } }>('/api-keys', { name: `bench ${number}`, roles: ['ADMIN'] });
  if (answer.status !== 201) throw new Error(`no key was made: ${JSON.stringify(answer.body)}`);
  return answer.body.data.key;
}

async function bareRun(run: Run): Promise<string[]> {
  const event = {
    id: crypto.randomUUID(),
    type: 'VAULT_HELD',
    actor: 'platform',
    transactionHash: null,
    occurredAt: '2026-11-22T12:00:00.000Z',
    correlationId: 'test',
  };
  const input: BroadcastInput = { event, ...run, eventsPerSecond: EVENTS_PER_SECOND };
  const server = start('./bare-broadcast.ts', input);
  try {
    const url = (await messageOf(server)) as string;
    const clients = await startClients('./event-clients.ts', { ...run, url, apiKeys: ['none'] });
    server.send('go');
    const cpuSeconds = (await messageOf(server)) as number;
    return figures(await clients.end(run), cpuSeconds, run);
  } finally {
    server.kill();
  }
}

async function serviceRun(stack: BenchStack, apiKeys: readonly string[], run: Run, program: string): Promise<string[]> {
  const clients = await startClients(program, { ...run, url: stack.apiUrl, apiKeys });
  const before = await vitals(stack.metricsUrl);
  await commitSteadily(stack, run);
  const result = await clients.end(run);
  const after = await vitals(stack.metricsUrl);
  return figures(result, after.cpuSeconds - before.cpuSeconds, run);
}

/** Commits events one by one, each in a transaction of its own. */
async function commitSteadily({ databaseUrl }: BenchStack, { vaultIds, seconds }: Run): Promise<void> {
  const db = openDatabase(databaseUrl, () => undefined, 4);
  const commits: Promise<void>[] = [];
  const began = performance.now();
  for (let number = 1; number <= seconds * EVENTS_PER_SECOND; number += 1) {
    const wait = began + (number * 1000) / EVENTS_PER_SECOND - performance.now();
    if (wait > 0) await pause(wait);
    const data = { sentAt: performance.timeOrigin + performance.now() };
    commits.push(commitEvents(db, 1, { vaultId: vaultIds[number % vaultIds.length] ?? null, data }));
  }
  await Promise.all(commits);
  await db.destroy();
}

async function startClients(program: string, input: ClientsInput) {
  const child = start(program, input);
  await messageOf(child);
  return {
    async end(run: Run): Promise<ClientsResult> {
      child.send(expectedOf(run));
      return (await messageOf(child)) as ClientsResult;
    },
  };
}

/** What all clients get together. */
function expectedOf({ vaultIds, clients, seconds }: Run): number {
  return (EVENTS_PER_SECOND * seconds * clients) / vaultIds.length;
}

/** Throws when an event did not come, came twice or in another order, or a client was cut. */
function figures(result: ClientsResult, cpuSeconds: number, run: Run): string[] {
  const { received, outOfOrder, cut, p50, p99, max } = result;
  const expected = expectedOf(run);
  if (received !== expected || outOfOrder > 0 || cut > 0)
    throw new Error(
      `${received} events came instead of ${expected}, ${outOfOrder} out of order, ${cut} clients were cut`,
    );
  const latencies = [p50, p99, max].map((latency) => latency.toFixed(0));
  const cores = [cpuSeconds, result.cpuSeconds].map((used) => (used / run.seconds).toFixed(2));
  return [
    (received / run.seconds).toFixed(0),
    String(expected - received),
    ...latencies,
    ...cores,
    p99 < P99_AIM_MS ? 'yes' : 'NO',
  ];
}

function start(file: string, input: object): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), [JSON.stringify(input)]);
}

/** Its next message. Rejects when it ends instead. */
async function messageOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${child.spawnargs[1] ?? ''} ended with ${String(code)}`);
  });
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [unknown];
  return message;
}

function row([name = '', ...figures]: readonly string[]): string {
  return name.padEnd(24) + figures.map((figure) => figure.padStart(13)).join('');
}
