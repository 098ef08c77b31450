import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { readBuildId } from './deployment.ts';

test('the same code has the same build id, which begins with the version', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly version: string };
  const id = await readBuildId();
  expect(id).toMatch(new RegExp(`^${version}-[\\da-f]{12}$`));
  expect(await readBuildId()).toBe(id);
});
