import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { until } from '../test/stack/until.ts';

let folder: string;
/** Of a command in that folder, so that it calls the npm there and does not download Temporal meanwhile. */
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bootstrap für tests-'));
  env = { ...process.env, npm_execpath: join(folder, 'npm.cjs'), TEMPORAL_ADDRESS: '127.0.0.1:7233' };
  mkdirSync(join(folder, 'scripts'));
  copyFileSync('scripts/bootstrap.mjs', join(folder, 'scripts/bootstrap.mjs'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ allowScripts: {} }));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: {} }));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const bootstrap = () => [join(folder, 'scripts/bootstrap.mjs'), 'production'];
const started = () => {
  const child = spawn(process.execPath, bootstrap(), { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, code, output: () => output };
};
const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');

/** An npm that installs the Node of the project, writes down how it was called, and links that Node only when it rebuilds it, as npm 10. */
const npm10 = `
const fs = require('node:fs');
const [command] = process.argv.slice(2);
fs.appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');
fs.mkdirSync('node_modules/.bin', { recursive: true });
if (command === 'rebuild') fs.writeFileSync('node_modules/.bin/node', '');
`;

test('an npm that does not link the Node of this project is asked to', () => {
  writeFileSync(join(folder, 'npm.cjs'), npm10);
  execFileSync(process.execPath, bootstrap(), { env });

  expect(calls()).toEqual([
    expect.stringMatching(/^ci --omit=dev --ignore-scripts/),
    expect.stringMatching(new RegExp(`^rebuild --ignore-scripts .*node-linux-${process.arch}$`)),
  ]);
});

test('of two commands that begin at once on a new machine one installs, and the other goes on when that has ended', async () => {
  writeFileSync(
    join(folder, 'npm.cjs'),
    `const fs = require('node:fs');
    fs.appendFileSync('calls', 'begun\\n');
    setTimeout(() => {
      fs.mkdirSync('node_modules/.bin', { recursive: true });
      fs.writeFileSync('node_modules/.bin/node', '');
    }, 1500);`,
  );
  const both = [started(), started()];

  expect(await Promise.all(both.map(({ code }) => code))).toEqual([0, 0]);
  expect(calls()).toEqual(['begun']);
  const outputs = both.map(({ output }) => output());
  expect(outputs).toContainEqual(expect.stringContaining('Installing'));
  expect(outputs).toContainEqual(expect.stringMatching(/^Another command is installing packages/));
});

test('Ctrl-C ends an installation soon, also when npm is not done with undoing it; the next command installs', async () => {
  writeFileSync(
    join(folder, 'npm.cjs'),
    `for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
    setInterval(() => undefined, 1000);
    require('node:fs').writeFileSync('calls', '');`,
  );
  const first = started();
  await until(() => existsSync(join(folder, 'calls')), { what: 'npm to run' });
  first.child.kill('SIGINT');
  expect(await first.code).toBe(1);

  writeFileSync(join(folder, 'npm.cjs'), npm10);
  execFileSync(process.execPath, bootstrap(), { env });
  expect(calls()).toHaveLength(2);
});
