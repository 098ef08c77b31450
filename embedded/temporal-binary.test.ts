import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { fetchTemporal, type BinarySource } from './temporal-binary.ts';

const away: BinarySource = ['the first place', () => Promise.reject(new Error('answered 503'))];
const there: BinarySource = [
  'the second place',
  async (folder) => {
    await writeFile(join(folder, 'temporal'), 'a program');
    return join(folder, 'temporal');
  },
];

test('a failed download is reported with the next attempt', async () => {
  await using folder = await scratch();
  const lines: string[] = [];

  await fetchTemporal([away, there], join(folder.path, 'temporal'), (line) => lines.push(line.trim()));

  expect(lines).toEqual([
    expect.stringMatching(/^fetching Temporal .* from the first place$/),
    'that failed: answered 503',
    expect.stringMatching(/^fetching Temporal .* from the second place$/),
  ]);
  expect(await readFile(join(folder.path, 'temporal'), 'utf8')).toBe('a program');
});

test('when every download fails, the error lists each reason and three workarounds', async () => {
  await using folder = await scratch();
  const target = join(folder.path, 'temporal');

  await expect(fetchTemporal([away], target, () => undefined)).rejects.toThrow(
    /the first place: answered 503\n.*PATH.*copy it to.*TEMPORAL_ADDRESS/,
  );
});

async function scratch() {
  const path = await mkdtemp(join(tmpdir(), 'fetch-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
