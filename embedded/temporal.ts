import { Connection } from '@temporalio/client';
import { eventually } from './deadline.ts';
import { baseEnvironment } from './environment.ts';
import { ensureSearchAttributes, searchAttributeFlags } from './search-attributes.ts';
import type { Supervisor } from './supervisor.ts';

interface TemporalOptions {
  readonly binary: string;
  /** File of the server's database. */
  readonly databaseFile: string;
  readonly port: number;
  /** Undefined: no web interface. */
  readonly uiPort: number | undefined;
  /** Besides `default`. */
  readonly namespaces?: readonly string[];
}

/** Starts Temporal's development server with time skipping allowed, and waits until it takes our search attributes. */
export async function startTemporal(supervisor: Supervisor, options: TemporalOptions): Promise<string> {
  const { binary, databaseFile, port, uiPort, namespaces = [] } = options;
  const address = `127.0.0.1:${port}`;
  const child = supervisor.start({
    name: 'temporal',
    command: binary,
    args: [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--db-filename', databaseFile],
      ...['--log-level', 'error', '--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'],
      ...['--dynamic-config-value', 'frontend.WorkflowTimeSkippingEnabled=true'],
      ...(uiPort === undefined ? ['--headless'] : ['--ui-ip', '127.0.0.1', '--ui-port', String(uiPort)]),
      ...namespaces.flatMap((name) => ['--namespace', name]),
      ...searchAttributeFlags(),
    ],
    env: baseEnvironment(),
  });
  const ended = child.ready.then(() => undefined);
  const connection = await Promise.race([eventually('Temporal answers', () => connect(address), 60_000), ended]);
  if (!connection) throw new Error('Temporal ended before it was ready');
  try {
    await ensureSearchAttributes(connection, 'default');
  } finally {
    await connection.close();
  }
  return address;
}

function connect(address: string): Promise<Connection> {
  return Connection.connect({ address, connectTimeout: '2s' });
}
