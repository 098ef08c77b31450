import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, chown, copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { claimPort } from '../../embedded/ports.ts';
import { query, startPostgres } from '../../embedded/postgres.ts';
import { startSupervisor } from '../../embedded/supervisor.ts';
import { requirePrepared } from '../../src/platform/database/roles/prepare-database.ts';
import { madeCertificates } from '../stack/certificates.ts';
import { operator } from '../stack/operator.ts';
import { until } from '../stack/until.ts';

const passwords = {
  VAULTS_DB_PASSWORD: "o'w/n$",
  VAULTS_API_DB_PASSWORD: 'a#p"i',
  VAULTS_WORKER_DB_PASSWORD: 'w@r%k',
  TEMPORAL_DB_PASSWORD: 'temporal',
};
/** Two are in files instead. */
const { VAULTS_WORKER_DB_PASSWORD: inFile, TEMPORAL_DB_PASSWORD: ofTemporal, ...inVariables } = passwords;
/** The client of Postgres, which the image of the compose file has. */
const hasPsql = spawnSync('psql', ['--version']).status === 0;

test('the script of the compose file, run twice, makes roles: the owner migrates, and each process logs in as its own, encrypted', async () => {
  await using cluster = await newCluster();
  for (const _time of ['first', 'second']) cluster.runScript();
  const withoutPassword = () => {
    cluster.runScript({ VAULTS_WORKER_DB_PASSWORD_FILE: '/dev/null' });
  };
  expect(withoutPassword).toThrow('VAULTS_WORKER_DB_PASSWORD is not set');
  const urlOf = (user: string, password: string) =>
    `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${cluster.port}/vaults`;
  const owner = urlOf('vaults', passwords.VAULTS_DB_PASSWORD);
  expect(await operator({ databaseUrl: owner }, 'migrate')).toBe('Updated the database to this release.\n');

  const start = (process: 'api' | 'worker', databaseUrl: string) =>
    requirePrepared({ process, databaseUrl, isDevelopment: false });
  await start('api', urlOf('vaults_api', passwords.VAULTS_API_DB_PASSWORD));
  await start('worker', urlOf('vaults_worker', passwords.VAULTS_WORKER_DB_PASSWORD));
  await expect(start('worker', owner)).rejects.toThrow('let it log in as vaults_worker');
  const temporal = urlOf('temporal', passwords.TEMPORAL_DB_PASSWORD);
  await expect(start('api', temporal)).rejects.toThrow('permission denied for database "vaults"');

  await using certificates = await madeCertificates();
  const login = async (parameters = '') => {
    const url = new URL(urlOf('vaults_api', passwords.VAULTS_API_DB_PASSWORD));
    url.hostname = 'localhost';
    url.search = parameters;
    const { rows } = await query(url.href, 'select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    return rows as { ssl: boolean }[];
  };
  expect(await login()).toEqual([{ ssl: false }]);
  await cluster.encrypt(certificates.of('postgres'));
  const isRefused = async () => (await login().then(() => '', String)).includes('no encryption');
  await until(isRefused, { what: 'Postgres to refuse what is not encrypted' });
  const parameters = `?sslmode=verify-full&sslrootcert=${certificates.of('client').authority}`;
  expect(await login(parameters)).toEqual([{ ssl: true }]);
});

/** A cluster as the image of Postgres makes one, without roles. */
async function newCluster() {
  const folder = await mkdtemp(join(tmpdir(), 'vault-cluster-'));
  await chmod(folder, 0o755);
  const supervisor = await startSupervisor(folder);
  if (!supervisor) throw new Error(`${folder} is not ours`);
  const port = await claimPort('Postgres', 0);
  const data = join(folder, 'postgres');
  const url = await startPostgres(supervisor, { folder: data, port, password: 'superuser' });
  const path = hasPsql ? process.env['PATH'] : `${await folderOfStandIn(folder)}:${process.env['PATH']}`;
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, `${inFile}\n`);
  const TEMPORAL_DB_PASSWORD_FILE = join(folder, 'password of temporal');
  await writeFile(TEMPORAL_DB_PASSWORD_FILE, `${ofTemporal}\n`);
  const connection = { PGHOST: '127.0.0.1', PGPORT: String(port), PGPASSWORD: 'superuser' };
  return {
    port,
    runScript({ VAULTS_WORKER_DB_PASSWORD_FILE = passwordFile } = {}) {
      const empty = { VAULTS_WORKER_DB_PASSWORD: '', TEMPORAL_DB_PASSWORD: '' };
      const given = { ...inVariables, ...empty, VAULTS_WORKER_DB_PASSWORD_FILE, TEMPORAL_DB_PASSWORD_FILE };
      execFileSync('bash', ['docker/postgres-roles.sh'], {
        env: { ...process.env, PATH: path, ...connection, ...given },
        stdio: 'pipe',
      });
    },
    /** Sets what the command of the compose file sets. */
    async encrypt({ certificate, key }: { readonly certificate: string; readonly key: string }) {
      const { uid, gid } = await stat(data);
      if (userInfo().uid === 0) await chown(key, uid, gid);
      await copyFile('docker/postgres-hba.conf', join(data, 'pg_hba.conf'));
      const settings = { ssl_cert_file: certificate, ssl_key_file: key, ssl: 'on' };
      for (const [name, value] of Object.entries(settings)) await query(url, `alter system set ${name} = '${value}'`);
      await query(url, 'select pg_reload_conf()');
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
