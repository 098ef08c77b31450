import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, '.cache/workflows');
/** Everything that a bundle is made of: workflows import nothing else of the project (.dependency-cruiser.cjs). */
const sources = [
  'workflows/**/*.ts',
  'src/domain/**/*.ts',
  'src/temporal/**/*.ts',
  'worker/bundle.ts',
  'package-lock.json',
];

/** The file with the bundled workflows. It is made once for each state of the sources, because that takes longer than all else of a start. */
export async function workflowBundle(): Promise<string> {
  const name = `${await hashOfSources()}.cjs`;
  const file = join(folder, name);
  if (existsSync(file)) return file;
  await mkdir(folder, { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  const script = join(root, 'worker/bundle.ts');
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', script, unfinished]);
  await rename(unfinished, file);
  for (const other of await readdir(folder)) if (other !== name) await rm(join(folder, other), { force: true });
  return file;
}

async function hashOfSources(): Promise<string> {
  const paths = (await Array.fromAsync(glob(sources, { cwd: root }))).sort();
  const hash = createHash('sha256');
  for (const path of paths) hash.update(`${path}\0`).update(await readFile(join(root, path)));
  return hash.digest('hex').slice(0, 32);
}
