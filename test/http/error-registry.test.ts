import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { errorRegistry } from '../../src/platform/error-registry.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

async function sources(): Promise<string[]> {
  const folders = ['src', 'workflows', 'activities', 'worker', 'embedded'].map((folder) => join(root, folder));
  const files = (
    await Promise.all(folders.map((folder) => readdir(folder, { recursive: true }).then(inside(folder))))
  ).flat();
  const own = files.filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('src/platform/error-registry.ts'),
  );
  return Promise.all(own.map((file) => readFile(file, 'utf8')));
}

const inside = (folder: string) => (files: string[]) => files.map((file) => join(folder, file));

test('every error code that is thrown is registered', async () => {
  const raised = (await sources()).flatMap((text) =>
    [...text.matchAll(/(?:new ServiceError|fieldError)\(\s*'(\w+)'/g)].map(([, code]) => code),
  );
  expect(raised).toContain('INSUFFICIENT_PERMISSIONS');
  expect([...new Set(raised)].filter((code) => code === undefined || !Object.hasOwn(errorRegistry, code))).toEqual([]);
});

test('every registered error code is thrown somewhere', async () => {
  const published = /errors: \[[^\]]*\]/g;
  const text = (await sources()).map((source) => source.replaceAll(published, '')).join('\n');
  expect(Object.keys(errorRegistry).filter((code) => !text.includes(`'${code}'`))).toEqual([]);
});

test('the error messages of the specification are unchanged', () => {
  const sentences = Object.values(errorRegistry).map(({ message }) => message);
  expect(sentences).toEqual(
    expect.arrayContaining([
      'API key required',
      'Insufficient permissions',
      'Insufficient signatures',
      'Invalid signature',
      'Invalid vault parameters',
      'Signature expired',
      'Security constraints not met',
      'Version no longer supported',
    ]),
  );
});
