import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { apiClient } from '../stack/api-client.ts';
import { testLog } from '../stack/test-log.ts';
import { until } from '../stack/until.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** Nothing answers there: without other variables these processes only need Postgres. */
const NOWHERE = 'http://127.0.0.1:9';

export type SeveralProcesses = Awaited<ReturnType<typeof startProcesses>>;

/** An api of two processes. */
export async function startProcesses(variables: Readonly<Record<string, string>> & { readonly DATABASE_URL: string }) {
  const environment = {
    ENVIRONMENT: 'development',
    API_PROCESSES: '2',
    TEMPORAL_ADDRESS: '127.0.0.1:9',
    NETWORK: 'preview',
    LEDGER_URL: NOWHERE,
    PRICE_FEED_URL: NOWHERE,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    PORT: '0',
    METRICS_PORT: '0',
    ...variables,
  };
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const log = testLog('api-processes');
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => {
    log.write(`${line}\n`);
  });
  const ready = new Promise<{ url: string; metricsUrl: string }>((resolve) => {
    lines.on('line', (line) => {
      if (line.startsWith('{"ready":true')) resolve(JSON.parse(line) as { url: string; metricsUrl: string });
    });
  });
  const ended = exit.then(() => Promise.reject(new Error('the api ended')));
  ended.catch(() => undefined);
  const { url, metricsUrl } = await Promise.race([ready, ended]);
  return {
    url,
    metricsUrl,
    api: apiClient(() => url, null),
    processes: () => processesOf(child),
    async stop() {
      child.kill('SIGTERM');
      return exit;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exit;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/** The ids of the processes that a process has started. */
async function processesOf({ pid = 0 }: ChildProcess): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').filter(Boolean).map(Number);
}

/** Kills one process of an api by its id, and waits until another one runs in its place. */
export async function killOne({ processes }: SeveralProcesses, pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await until(
    async () => {
      const now = await processes();
      return now.length === 2 && !now.includes(pid);
    },
    { what: 'a process to be started again', deadlineMs: 30_000 },
  );
}

/** The open connections at the port of an api: the process that has accepted each, by the port at the client's end. */
async function acceptedBy({ url, processes }: SeveralProcesses): Promise<Map<number, number>> {
  const inodes = new Map<string, number>();
  const table = await readFile('/proc/net/tcp', 'utf8');
  for (const line of table.split('\n').slice(1)) {
    const [, local = '', remote = '', , , , , , , inode = ''] = line.trim().split(/\s+/);
    if (portOf(local) === Number(new URL(url).port)) inodes.set(`socket:[${inode}]`, portOf(remote));
  }
  const accepted = new Map<number, number>();
  for (const pid of await processes())
    for (const descriptor of await readdir(`/proc/${pid}/fd`)) {
      // One that is closed meanwhile has no target.
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '');
      const port = inodes.get(target);
      if (port !== undefined && port > 0) accepted.set(port, pid);
    }
  return accepted;
}

/** Of an address in /proc/net/tcp. */
const portOf = (address: string) => Number.parseInt(address.split(':')[1] ?? '', 16);

/** How many open connections each process has. */
export async function connectionsByProcess(running: SeveralProcesses): Promise<Record<number, number>> {
  const counts = new Map((await running.processes()).map((pid) => [pid, 0]));
  for (const pid of (await acceptedBy(running)).values()) counts.set(pid, (counts.get(pid) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/** A connection that is kept open, and the process that has accepted it. */
export interface KeptConnection extends Disposable {
  readonly pid: number;
  /** The status of the response. */
  send(method: string, path: string, apiKey: string, body?: object): Promise<number>;
}

/** Opens connections until each process has accepted at least `count` of them. */
export async function connectToEach(running: SeveralProcesses, count: number): Promise<KeptConnection[]> {
  const opened: KeptConnection[] = [];
  await until(
    async () => {
      opened.push(await keepConnection(running));
      const pids = await running.processes();
      return pids.every((pid) => opened.filter((one) => one.pid === pid).length >= count);
    },
    { what: `${count} connections to each process`, deadlineMs: 60_000 },
  );
  return opened;
}

async function keepConnection(running: SeveralProcesses): Promise<KeptConnection> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = async (method: string, path: string, apiKey?: string, body?: object) => {
    const headers = {
      ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      ...(body && { 'content-type': 'application/json' }),
    };
    const sent = request(`${running.url}${path}`, { agent, method, headers });
    sent.end(body && JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const { localPort = 0 } = response.socket;
    await text(response);
    return { status: response.statusCode ?? 0, localPort };
  };
  const { localPort } = await send('GET', '/health/live');
  const pid = (await acceptedBy(running)).get(localPort);
  if (pid === undefined) throw new Error('no process has this connection');
  return {
    pid,
    send: async (...sent) => (await send(...sent)).status,
    [Symbol.dispose]: () => {
      agent.destroy();
    },
  };
}
