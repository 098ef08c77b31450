import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { until } from '../test/stack/until.ts';

let folder: string;
/** Of a command in that folder, so that it calls the npm there. */
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bootstrap für tests-'));
  env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` };
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'scripts'));
  copyFileSync('scripts/bootstrap.mjs', join(folder, 'scripts/bootstrap.mjs'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ allowScripts: {} }));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: {} }));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const bootstrap = ['scripts/bootstrap.mjs', 'production'];
/** Puts a program in the place of npm. */
const setNpm = (program: string) => {
  writeFileSync(join(folder, 'bin/npm'), `#!${process.execPath}\n${program}`, { mode: 0o755 });
};
const started = () => {
  const child = spawn(process.execPath, bootstrap, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, code, output: () => output };
};
const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');

/** An npm that installs the Node of the project and does not link it, as npm 10. */
const npm10 = `
const fs = require('node:fs');
fs.appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');
fs.mkdirSync('node_modules/node-linux-${process.arch}/bin', { recursive: true });
fs.mkdirSync('node_modules/.bin', { recursive: true });
fs.writeFileSync('node_modules/node-linux-${process.arch}/bin/node', '');
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: {} }, null, 2) + '\\n');
`;
const isLinked = () => existsSync(join(folder, 'node_modules/.bin/node'));

test('an installation by an npm that does not link the Node of this project is completed, whoever ran it', () => {
  setNpm(npm10);
  execFileSync(process.execPath, bootstrap, { cwd: folder, env });
  expect(calls()).toEqual([expect.stringMatching(/^install --no-save --omit=dev/)]);
  expect(isLinked()).toBe(true);

  rmSync(join(folder, 'node_modules/.bin/node'));
  execFileSync(process.execPath, bootstrap, { cwd: folder, env });
  expect(calls()).toHaveLength(1);
  expect(isLinked()).toBe(true);
});

test('of two commands that begin at once on a new machine one installs, and the other continues when that has ended', async () => {
  setNpm(`setTimeout(() => {${npm10}}, 1500);`);
  const both = [started(), started()];

  expect(await Promise.all(both.map(({ code }) => code))).toEqual([0, 0]);
  expect(calls()).toHaveLength(1);
  const outputs = both.map(({ output }) => output());
  expect(outputs).toContainEqual(expect.stringContaining('Installing'));
  expect(outputs).toContainEqual(expect.stringMatching(/^Waiting for another command that installs packages/));
});

test('Ctrl-C ends an installation soon, also when npm is not done with undoing it; the next command installs', async () => {
  setNpm(`for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
    setInterval(() => undefined, 1000);
    require('node:fs').writeFileSync('calls', '');`);
  const first = started();
  await until(() => existsSync(join(folder, 'calls')), { what: 'npm to run' });
  first.child.kill('SIGINT');
  expect(await first.code).toBe(1);

  setNpm(npm10);
  execFileSync(process.execPath, bootstrap, { cwd: folder, env });
  expect(isLinked()).toBe(true);
});

test('the lock of a command that was killed keeps no other from installing', async () => {
  // It outlives the command for a moment.
  setNpm(`require('node:fs').writeFileSync('calls', ''); setTimeout(() => undefined, 1000);`);
  const first = started();
  await until(() => existsSync(join(folder, 'calls')), { what: 'npm to run' });
  first.child.kill('SIGKILL');
  await first.code;

  setNpm(npm10);
  execFileSync(process.execPath, bootstrap, { cwd: folder, env });
  expect(isLinked()).toBe(true);
});

test('a list of packages that was cut off, as on a full disk, is no list', () => {
  setNpm(npm10);
  mkdirSync(join(folder, 'node_modules'));
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), '{\n  "packages": {\n    "node_mod');
  execFileSync(process.execPath, bootstrap, { cwd: folder, env });
  expect(isLinked()).toBe(true);
});
