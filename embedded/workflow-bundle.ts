import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { baseEnvironment } from '../src/platform/config/environment.ts';
import { wallClock } from '../src/platform/units/time.ts';

const DAY_MS = 86_400_000;
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, '.cache/workflows');
/** Everything that a bundle is made of: workflows import nothing else of the project (.dependency-cruiser.cjs). */
const sources = [
  'workflows/**/*.ts',
  'src/*/rules.ts',
  'src/*/rules/**/*.ts',
  'src/platform/{async,errors,states}.ts',
  'src/platform/{temporal,units}/**/*.ts',
  'worker/bundle.ts',
  'package-lock.json',
];

/** The file with the bundled workflows. It is made once for each state of the sources, because that takes longer than all else of a start. */
export async function workflowBundle(): Promise<string> {
  const hash = await hashOfSources();
  const file = join(folder, `${hash}.cjs`);
  if (existsSync(file)) return file;
  await mkdir(folder, { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  const script = join(root, 'worker/bundle.ts');
  const args = ['--disable-warning=ExperimentalWarning', script, unfinished];
  await promisify(execFile)(process.execPath, args, { env: baseEnvironment() });
  // Sources that changed meanwhile may be in the bundle.
  if ((await hashOfSources()) !== hash) {
    await rm(unfinished);
    return workflowBundle();
  }
  await rename(unfinished, file);
  await removeOld();
  return file;
}

/** Removes what was made more than a day ago: a stack that starts now may need the others. */
async function removeOld(): Promise<void> {
  for (const name of await readdir(folder)) {
    const old = join(folder, name);
    const made = await stat(old).catch(() => null);
    if (made && made.mtimeMs < wallClock.now() - DAY_MS) await rm(old, { force: true });
  }
}

async function hashOfSources(): Promise<string> {
  const paths = (await Array.fromAsync(glob(sources, { cwd: root }))).sort();
  const hash = createHash('sha256');
  for (const path of paths) hash.update(`${path}\0`).update(await readFile(join(root, path)));
  return hash.digest('hex').slice(0, 32);
}
