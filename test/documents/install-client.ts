import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** What the client needs, at the versions of the lock file. */
const DEPENDENCIES = ['openapi-fetch', 'openapi-typescript-helpers'];

/**
 * Packs the client as its README says, and installs that tarball in an empty project, without network: what the package names as its
 * dependencies is packed from node_modules, and what it does not name is not there. Returns the folder of the project.
 */
export async function installClient(folder: string): Promise<string> {
  const [source, project] = [join(folder, 'source'), join(folder, 'project')];
  const npm = npmIn(folder);
  // A copy, because packing builds: the tests beside this one, and the checks, read the folder of the client.
  await cp('client', source, {
    recursive: true,
    filter: (path) => !['dist', 'node_modules'].includes(basename(path)),
  });
  await symlink(resolve('node_modules'), join(source, 'node_modules'));
  const packed = await npm(['pack', '--ignore-scripts=false', source]);
  const libraries = DEPENDENCIES.map((name) => resolve('node_modules', name));
  const packedLibraries = await npm(['pack', '--ignore-scripts', ...libraries]);

  const tarballs = packedLibraries.map((name) => `file:${join(folder, name)}`);
  const overrides = Object.fromEntries(DEPENDENCIES.map((name, index) => [name, tarballs[index]]));
  await mkdir(project);
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, overrides }));
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund'];
  await npm(['install', '--prefix', project, ...quietly, join(folder, packed[0] ?? '')]);
  return project;
}

/** npm with a cache of its own and without network; returns the last lines that it has printed, which name the tarballs. */
function npmIn(folder: string) {
  const path = [resolve('node_modules/.bin'), process.env['PATH']].join(delimiter);
  return async (parameters: readonly string[]): Promise<string[]> => {
    const always = ['--offline', '--loglevel=error', '--cache', join(folder, 'cache')];
    const { stdout } = await promisify(execFile)('npm', [...parameters, ...always], {
      cwd: folder,
      env: { ...process.env, PATH: path },
    });
    return stdout.split('\n').filter((line) => line.endsWith('.tgz'));
  };
}

/** The versions of the packages that are installed in a project. */
export async function installedIn(project: string): Promise<Record<string, string>> {
  const text = await readFile(join(project, 'node_modules', '.package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, { version: string }> };
  return Object.fromEntries(
    Object.entries(packages).map(([path, { version }]) => [path.replace('node_modules/', ''), version]),
  );
}
