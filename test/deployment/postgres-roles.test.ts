import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { claimPort } from '../../embedded/ports.ts';
import { startPostgres } from '../../embedded/postgres.ts';
import { startSupervisor } from '../../embedded/supervisor.ts';
import { requirePrepared } from '../../src/store/roles/require-prepared.ts';
import { operator } from '../stack/operator.ts';

const passwords = {
  VAULTS_DB_PASSWORD: "o'w/n$",
  VAULTS_API_DB_PASSWORD: 'a#p"i',
  VAULTS_WORKER_DB_PASSWORD: 'w@r%k',
  TEMPORAL_DB_PASSWORD: 'temporal',
};
/** The client of Postgres, which the image of the compose file has. */
const hasPsql = spawnSync('psql', ['--version']).status === 0;

test('the script of the compose file, run twice, makes roles: the owner migrates, and each process starts as its own', async () => {
  await using cluster = await newCluster();
  for (const _time of ['first', 'second']) cluster.runScript();
  const urlOf = (user: string, password: string) =>
    `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${cluster.port}/vaults`;
  const owner = urlOf('vaults', passwords.VAULTS_DB_PASSWORD);
  expect(await operator({ databaseUrl: owner }, 'migrate')).toBe('The database is ready for this release.\n');

  const start = (process: 'api' | 'worker', databaseUrl: string) =>
    requirePrepared({ process, databaseUrl, isDevelopment: false });
  await start('api', urlOf('vaults_api', passwords.VAULTS_API_DB_PASSWORD));
  await start('worker', urlOf('vaults_worker', passwords.VAULTS_WORKER_DB_PASSWORD));
  await expect(start('worker', owner)).rejects.toThrow('let it log in as vaults_worker');
  const temporal = urlOf('temporal', passwords.TEMPORAL_DB_PASSWORD);
  await expect(start('api', temporal)).rejects.toThrow('permission denied for database "vaults"');
});

/** A cluster as the image of Postgres makes one, without roles. */
async function newCluster() {
  const folder = await mkdtemp(join(tmpdir(), 'vault-cluster-'));
  await chmod(folder, 0o755);
  const supervisor = await startSupervisor(folder);
  if (!supervisor) throw new Error(`${folder} is not ours`);
  const port = await claimPort('Postgres', 0);
  await startPostgres(supervisor, { folder: join(folder, 'postgres'), port, password: 'superuser' });
  const path = hasPsql ? process.env['PATH'] : `${await folderOfStandIn(folder)}:${process.env['PATH']}`;
  const connection = { PGHOST: '127.0.0.1', PGPORT: String(port), PGPASSWORD: 'superuser' };
  return {
    port,
    runScript() {
      execFileSync('bash', ['docker/postgres-roles.sh'], {
        env: { ...process.env, PATH: path, ...connection, ...passwords },
      });
    },
    async [Symbol.asyncDispose]() {
      await supervisor.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Makes a folder with a `psql` that does what the script needs. */
async function folderOfStandIn(folder: string): Promise<string> {
  const commands = join(folder, 'commands');
  await mkdir(commands);
  const program = join(import.meta.dirname, 'psql-stand-in.ts');
  await writeFile(join(commands, 'psql'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o755 });
  return commands;
}
