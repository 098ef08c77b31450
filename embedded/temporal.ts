import { once } from 'node:events';
import { createConnection } from 'node:net';
import { Connection } from '@temporalio/client';
import { eventually } from './eventually.ts';
import { baseEnvironment } from '../src/platform/config/environment.ts';
import { ensureSearchAttributes, searchAttributeFlags } from './search-attributes.ts';
import type { Child, Program, Supervisor } from './supervisor.ts';

/** The server chooses internal ports shortly before it listens on them, and panics when another program takes one first. */
const MAX_STARTS = 3;

const ownConfiguration = [
  'frontend.WorkflowTimeSkippingEnabled=true',
  // The server fires a timer that is due at once up to this much later, by default a second: a skip of a year has fifty of them.
  'history.timerProcessorMaxTimeShift="50ms"',
  // A workflow whose tasks fail so many times one after the other is found and started again (docs/operations/runbook.md, "Lost workflows").
  'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute=2',
];

interface TemporalOptions {
  readonly binary: string;
  /** File of the server's database. */
  readonly databaseFile: string;
  readonly port: number;
  /** Undefined: no web interface. */
  readonly uiPort: number | undefined;
  /** Besides `default`. */
  readonly namespaces?: readonly string[];
  /** Further dynamic configuration, each `name=value`. */
  readonly configuration?: readonly string[];
}

/** Starts Temporal's development server with time skipping allowed, and waits until it accepts our search attributes. */
export async function startTemporal(supervisor: Supervisor, options: TemporalOptions): Promise<string> {
  const { binary, databaseFile, port, uiPort, namespaces = [], configuration = [] } = options;
  const address = `127.0.0.1:${port}`;
  const program: Program = {
    name: 'temporal',
    command: binary,
    args: [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--db-filename', databaseFile],
      ...['--log-level', 'error', '--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'],
      ...[...ownConfiguration, ...configuration].flatMap((value) => ['--dynamic-config-value', value]),
      ...(uiPort === undefined ? ['--headless'] : ['--ui-ip', '127.0.0.1', '--ui-port', String(uiPort)]),
      ...namespaces.flatMap((name) => ['--namespace', name]),
      ...searchAttributeFlags(),
    ],
    env: baseEnvironment(),
  };
  const connection = await startUntilReady(supervisor, program, address);
  try {
    await ensureSearchAttributes(connection, 'default');
  } finally {
    await connection.close();
  }
  return address;
}

/** Starts the server, again if it ends before it answers. Throws the reason of the last end. */
async function startUntilReady(supervisor: Supervisor, program: Program, address: string): Promise<Connection> {
  let lost: Child | undefined;
  let confirm: (() => void) | undefined;
  const start = (left: number): void => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const child = supervisor.start(program, left > 0 ? promise : undefined);
    confirm = () => {
      confirm = undefined;
      resolve(undefined);
    };
    void child.ended.then(({ unexpected }) => {
      if (confirm === undefined) return;
      if (unexpected && left > 0) start(left - 1);
      else lost = child;
    });
  };
  start(MAX_STARTS - 1);
  const first = await eventually('Temporal answers', async () => lost ?? (await connect(address)), 60_000);
  if ('ready' in first) {
    // Rejects with its last output.
    await first.ready;
    throw new Error('Temporal ended before it was ready');
  }
  confirm?.();
  return first;
}

async function connect(address: string): Promise<Connection> {
  await requireListening(address);
  return Connection.connect({ address, connectTimeout: '2s' });
}

/** Throws when nothing listens. A client that is refused waits for a second before it tries again. */
async function requireListening(address: string): Promise<void> {
  const { hostname, port } = new URL(`http://${address}`);
  const socket = createConnection(Number(port), hostname);
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}
