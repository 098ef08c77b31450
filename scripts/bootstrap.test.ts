import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';

const folder = mkdtempSync(join(tmpdir(), 'bootstrap für tests-'));
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** An npm that installs the Node of the project, writes down how it was called, and links that Node only when it rebuilds it, as npm 10. */
const npm10 = `
const fs = require('node:fs');
const [command] = process.argv.slice(2);
fs.appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');
fs.mkdirSync('node_modules/.bin', { recursive: true });
if (command === 'rebuild') fs.writeFileSync('node_modules/.bin/node', '');
`;

test('an npm that does not link the Node of this project is asked to', () => {
  mkdirSync(join(folder, 'scripts'));
  copyFileSync('scripts/bootstrap.mjs', join(folder, 'scripts/bootstrap.mjs'));
  writeFileSync(join(folder, 'npm.cjs'), npm10);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ allowScripts: {} }));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: {} }));
  // So that it does not download Temporal meanwhile.
  const env = { ...process.env, npm_execpath: join(folder, 'npm.cjs'), TEMPORAL_ADDRESS: '127.0.0.1:7233' };
  execFileSync(process.execPath, [join(folder, 'scripts/bootstrap.mjs'), 'production'], { env });

  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  expect(calls).toEqual([
    expect.stringMatching(/^ci --omit=dev --ignore-scripts/),
    expect.stringMatching(new RegExp(`^rebuild --ignore-scripts .*node-linux-${process.arch}$`)),
  ]);
});
