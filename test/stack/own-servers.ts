import { chmod, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureRoles, prepareEmbeddedDatabase } from '../../embedded/databases.ts';
import { claimPort } from '../../embedded/ports.ts';
import { ensureDatabase, startPostgres } from '../../embedded/postgres.ts';
import { type Child, startSupervisor, type Supervisor } from '../../embedded/supervisor.ts';
import { findTemporal } from '../../embedded/temporal-binary.ts';
import { startTemporal } from '../../embedded/temporal.ts';
import { canaries } from '../secrets/canaries.ts';
import { sharedStack } from './shared-stack.ts';
import { killTree, suspendTree } from './process-tree.ts';

export interface OwnServer extends AsyncDisposable {
  /** Stops it and closes every connection; its data stays. */
  stop(): Promise<void>;
  /** Stops it as a power failure would. */
  kill(): Promise<void>;
  /** Stops its processes for some milliseconds; connections stay. */
  suspend(ms: number): Promise<void>;
  /** Starts it again, at the same address. */
  start(): Promise<void>;
}

export type OwnPostgres = OwnServer & { readonly databaseUrl: string };
export type OwnTemporal = OwnServer & { readonly address: string; readonly namespace: string };

/** A Postgres that one test may stop. */
export async function ownPostgres(): Promise<OwnPostgres> {
  const port = await claimPort('Postgres', 0);
  const server = await ownServer(async (supervisor, folder) => {
    const maintenanceUrl = await startPostgres(supervisor, {
      folder: join(folder, 'postgres'),
      port,
      password: canaries.databasePassword,
    });
    await ensureRoles(maintenanceUrl, canaries);
    const databaseUrl = await ensureDatabase(maintenanceUrl, 'vaults');
    await prepareEmbeddedDatabase(databaseUrl);
    return databaseUrl;
  });
  return { ...server, databaseUrl: server.address };
}

/** A Temporal server that one test may stop. */
export async function ownTemporal(): Promise<OwnTemporal> {
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

  let children: Child[] = [];

  async function begin(): Promise<string> {
    const supervisor = await startSupervisor(folder, 30_000);
    if (!supervisor) throw new Error(`${folder} is not ours`);
    running = supervisor;
    children = [];
    const started: Supervisor['start'] = (...program) => {
      const child = supervisor.start(...program);
      children.push(child);
      return child;
    };
    return start({ ...supervisor, start: started }, folder);
  }
  async function stop(): Promise<void> {
    await running?.stop();
    running = undefined;
  }

  return {
    folder,
    address: await begin(),
    stop,
    async kill() {
      for (const { pid } of children) killTree(pid);
      await stop();
    },
    async suspend(ms: number) {
      await Promise.all(children.map(({ pid }) => suspendTree(pid, ms)));
    },
    async start() {
      await begin();
    },
    [Symbol.asyncDispose]: stop,
  };
}
