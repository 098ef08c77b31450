import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';

const run = promisify(execFile);
/** The package that has the Node of the project. */
const NODE = `node-linux-${process.arch}`;
/** A project with its lock file and nothing installed, which each test copies. */
let template: string;
let project: string;

beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), 'bootstrap-'));
  await mkdir(join(template, 'scripts'));
  await copyFile('scripts/bootstrap.mjs', join(template, 'scripts/bootstrap.mjs'));
  await packageIn(template, NODE, { bin: { node: 'bin/node' } });
  await packageIn(template, 'jest', {});
  await mkdir(join(template, 'client'));
  await writeFile(join(template, 'client/package.json'), '{"name":"client","version":"1.0.0"}');
  await writeFile(
    join(template, 'package.json'),
    JSON.stringify({
      dependencies: { [NODE]: `file:${NODE}.tgz` },
      // npm lists a folder of the project even where it is left out.
      devDependencies: { jest: 'file:jest.tgz', client: 'file:client' },
      allowScripts: {},
    }),
  );
  await npm(template, 'install', '--package-lock-only', '--ignore-scripts');
});
afterAll(() => rm(template, { recursive: true }));

beforeEach(async () => {
  project = join(template, 'projects', `${expect.getState().currentTestName}`.replaceAll(/\W/g, '-'));
  await mkdir(project, { recursive: true });
  const copied = ['scripts', 'client', 'package.json', 'package-lock.json', `${NODE}.tgz`, 'jest.tgz'];
  await run('cp', ['-r', ...copied, project], { cwd: template });
});

const bootstrap = async (...needs: readonly string[]) =>
  (await run(process.execPath, ['scripts/bootstrap.mjs', ...needs], inFolder(project))).stdout;
const installed = () => [NODE, 'jest'].filter((name) => existsSync(join(project, 'node_modules', name)));
const file = (name: string) => join(project, 'node_modules', name, 'package.json');

test('npm start of a new machine installs no package that only tests need', async () => {
  expect(await bootstrap('production')).toContain('Installing');
  expect(installed()).toEqual([NODE]);
  expect(await bootstrap('production')).toBe('');
});

test('what tests need is added beside what a running stack was started with', async () => {
  await bootstrap('production');
  const before = await stat(file(NODE));

  expect(await bootstrap()).toContain('Installing');

  expect(installed()).toEqual([NODE, 'jest']);
  expect((await stat(file(NODE))).ino).toBe(before.ino);
  expect(await bootstrap()).toBe('');
  expect(await readFile(join(project, 'package-lock.json'), 'utf8')).toBe(
    await readFile(join(template, 'package-lock.json'), 'utf8'),
  );
});

test('npm start installs nothing where tests have run, and removes nothing', async () => {
  await bootstrap();
  expect(installed()).toEqual([NODE, 'jest']);

  expect(await bootstrap('production')).toBe('');
  await rm(join(project, 'node_modules/.bin/node'));
  expect(await bootstrap('production')).toBe('');
  expect(existsSync(join(project, 'node_modules/.bin/node'))).toBe(true);

  expect(installed()).toEqual([NODE, 'jest']);
});

test.each([
  ['production', [NODE]],
  ['tests', [NODE, 'jest']],
])('a package of another version than the lock file says is replaced on a machine for %s', async (before, packages) => {
  await bootstrap(before);
  const list = join(project, 'node_modules/.package-lock.json');
  const older = (await readFile(list, 'utf8')).replaceAll('"version": "1.0.0"', '"version": "0.9.0"');
  await writeFile(list, older);

  expect(await bootstrap('production')).toContain('Installing');
  expect(installed()).toEqual(packages);
});

test('what an installation that was killed has left is installed again', async () => {
  await bootstrap('production');
  await rm(join(project, 'node_modules/.package-lock.json'));
  await rm(file(NODE));

  expect(await bootstrap('production')).toContain('Installing');

  expect(existsSync(file(NODE))).toBe(true);
  expect(await bootstrap('production')).toBe('');
});

test('a package whose hash is not that of the lock file is not installed', async () => {
  await packageIn(project, 'jest', { description: 'another one' });
  await bootstrap('production');

  await expect(bootstrap()).rejects.toThrow('EINTEGRITY');

  expect(existsSync(file('jest'))).toBe(false);
});

/** Writes a package as an archive. */
async function packageIn(folder: string, name: string, fields: object): Promise<void> {
  const content = join(folder, name, 'package');
  await mkdir(content, { recursive: true });
  await writeFile(join(content, 'package.json'), JSON.stringify({ name, version: '1.0.0', ...fields }));
  await mkdir(join(content, 'bin'));
  await writeFile(join(content, 'bin/node'), '#!/bin/sh\n', { mode: 0o755 });
  await run('tar', ['-czf', join(folder, `${name}.tgz`), '-C', join(folder, name), 'package']);
}

function npm(folder: string, ...parameters: readonly string[]) {
  return run('npm', parameters, inFolder(folder));
}

/** Nothing is asked of a registry, and no cache knows the packages. */
function inFolder(cwd: string) {
  return { cwd, env: { ...process.env, npm_config_cache: join(cwd, 'cache'), npm_config_offline: 'true' } };
}
