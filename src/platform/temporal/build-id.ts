import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** All that a worker runs, and the versions of what it runs on. */
const sources = ['{src,workflows,activities,worker}/**/*.{ts,sql}', 'package-lock.json'];

/** Names the code of this checkout or image: its version and a hash, the same for the same code on every machine. */
export async function readBuildId(): Promise<string> {
  const paths = (await Array.fromAsync(glob(sources, { cwd: root }))).filter((path) => !path.endsWith('.test.ts'));
  const files = await Promise.all(
    paths.sort().map(async (path) => ({ path, bytes: await readFile(join(root, path)) })),
  );
  const hash = createHash('sha256');
  for (const { path, bytes } of files) hash.update(`${path}\0`).update(bytes);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  return `${version}-${hash.digest('hex').slice(0, 12)}`;
}
