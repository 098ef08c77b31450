import { execFile } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** Builds the client into a folder as if it had been installed there with its dependencies; returns the folder of the package. */
export async function buildClient(folder: string): Promise<string> {
  const modules = join(folder, 'node_modules');
  const installed = join(modules, 'vault-tokenization-client');
  await mkdir(installed, { recursive: true });
  const tsc = resolve('node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', 'client', '--outDir', join(installed, 'dist')]);
  await cp('client/package.json', join(installed, 'package.json'));
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
    await symlink(resolve('node_modules', name), join(modules, name));
  return installed;
}
