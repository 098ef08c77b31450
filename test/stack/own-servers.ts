import { chmod, mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { claimPort } from '../../embedded/ports.ts';
import { ensureDatabase, startPostgres } from '../../embedded/postgres.ts';
import { startSupervisor, type Supervisor } from '../../embedded/supervisor.ts';
import { findTemporal } from '../../embedded/temporal-binary.ts';
import { startTemporal } from '../../embedded/temporal.ts';
import { canaries } from '../secrets/canaries.ts';
import { sharedStack } from './shared-stack.ts';

interface OwnServer extends AsyncDisposable {
  /** Stops it and closes every connection; its data stays. */
  stop(): Promise<void>;
  /** Starts it again, at the same address. */
  start(): Promise<void>;
}

/** A Postgres that one test may stop. */
export async function ownPostgres(): Promise<OwnServer & { readonly databaseUrl: string; kill(): Promise<void> }> {
  const port = await claimPort('Postgres', 0);
  const server = await ownServer(async (supervisor, folder) => {
    const maintenanceUrl = await startPostgres(supervisor, {
      folder: join(folder, 'postgres'),
      port,
      password: canaries.databasePassword,
    });
    return ensureDatabase(maintenanceUrl, 'vaults');
  });
  return {
    ...server,
    databaseUrl: server.address,
    /** Stops it as a power failure would. */
    async kill() {
      const [pid] = (await readFile(join(server.folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGKILL');
      await server.stop();
    },
  };
}

/** A Temporal server that one test may stop. */
export async function ownTemporal(): Promise<OwnServer & { readonly address: string; readonly namespace: string }> {
  const port = await claimPort('Temporal', 0);
  const binary = await findTemporal(() => undefined);
  const server = await ownServer((supervisor, folder) =>
    startTemporal(supervisor, { binary, databaseFile: join(folder, 'temporal.db'), port, uiPort: undefined }),
  );
  return { ...server, namespace: 'default' };
}

async function ownServer(start: (supervisor: Supervisor, folder: string) => Promise<string>) {
  // In the folder of the run: its logs are searched for secrets at the end.
  const folder = await mkdtemp(join(sharedStack().folder, 'server-'));
  await chmod(folder, 0o755);
  let running: Supervisor | undefined;

  async function begin(): Promise<string> {
    running = await startSupervisor(folder, 30_000);
    if (!running) throw new Error(`${folder} is not ours`);
    return start(running, folder);
  }
  async function stop(): Promise<void> {
    await running?.stop();
    running = undefined;
  }

  return {
    folder,
    address: await begin(),
    stop,
    async start() {
      await begin();
    },
    [Symbol.asyncDispose]: stop,
  };
}
