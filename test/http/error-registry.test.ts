import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { errorRegistry } from '../../src/platform/errors.ts';
import { errorDetails } from '../../src/platform/openapi/error-details.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

async function sources(): Promise<string[]> {
  const folders = ['src', 'workflows', 'activities', 'worker', 'embedded'].map((folder) => join(root, folder));
  const files = (
    await Promise.all(folders.map((folder) => readdir(folder, { recursive: true }).then(inside(folder))))
  ).flat();
  const own = files.filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('src/platform/errors.ts'),
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
  const published = /errors: \[[^\]]*\]|export const errorDetails[^]*$/g;
  const text = (await sources()).map((source) => source.replaceAll(published, '')).join('\n');
  expect(Object.keys(errorRegistry).filter((code) => !text.includes(`'${code}'`))).toEqual([]);
});

test('the details of every thrown error are published with its code', async () => {
  const said = (await sources()).flatMap((text) =>
    [...text.matchAll(/new ServiceError\(\s*'(\w+)',\s*\{([^{}]*)\}/g)].flatMap(([, code = '', details = '']) =>
      [...details.replaceAll(/'[^']*'|`[^`]*`|\([^()]*\)/g, '').matchAll(/(?:^|,)\s*(\w+)/g)].map(
        ([, name = '']) => [code, name] as const,
      ),
    ),
  );
  expect(said).toContainEqual(['INSUFFICIENT_VOTING_POWER', 'available']);
  const published = Object.entries(errorDetails).flatMap(([code, details]) =>
    ['errors', ...Object.keys(details)].map((name) => `${code} ${name}`),
  );
  const unpublished = said.filter(([code, name]) => name !== 'errors' && !published.includes(`${code} ${name}`));
  expect(unpublished).toEqual([]);
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
