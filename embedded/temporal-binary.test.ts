import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { fetchTemporal, type BinarySource } from './temporal-binary.ts';

const module = fileURLToPath(new URL('./temporal-binary.ts', import.meta.url));
const PROGRAM = 'a program';
const expected = createHash('sha256').update(PROGRAM).digest('hex');

const away: BinarySource = ['the first place', () => Promise.reject(new Error('answered 503'))];
const there: BinarySource = [
  'the second place',
  async (folder) => {
    await writeFile(join(folder, 'temporal'), PROGRAM);
    return join(folder, 'temporal');
  },
];

test('a failed download is reported with the next attempt', async () => {
  await using folder = await scratch();
  const lines: string[] = [];

  await fetchTemporal([away, there], { target: join(folder.path, 'temporal'), expected }, (line) =>
    lines.push(line.trim()),
  );

  expect(lines).toEqual([
    expect.stringMatching(/^Downloading Temporal .* from the first place…$/),
    'the first place failed: answered 503.',
    expect.stringMatching(/^Downloading Temporal .* from the second place…$/),
  ]);
  expect(await readFile(join(folder.path, 'temporal'), 'utf8')).toBe('a program');
});

test('when every download fails, the error lists each reason and two workarounds', async () => {
  await using folder = await scratch();
  const target = join(folder.path, 'temporal');

  await expect(fetchTemporal([away], { target, expected }, () => undefined)).rejects.toThrow(
    /the first place: answered 503\n.*TEMPORAL_BINARY.*TEMPORAL_ADDRESS/,
  );
});

test('a download with another hash than the expected one is not kept', async () => {
  await using folder = await scratch();
  const target = join(folder.path, 'temporal');
  const tampered: BinarySource = [
    'a changed place',
    async (into) => {
      await writeFile(join(into, 'temporal'), 'another program');
      return join(into, 'temporal');
    },
  ];

  await expect(fetchTemporal([tampered], { target, expected }, () => undefined)).rejects.toThrow(
    'not the expected one',
  );
  await expect(access(target)).rejects.toThrow('ENOENT');
});

test('a program planted on PATH or in the temp folder is not run', async () => {
  await using folder = await scratch();
  const witness = join(folder.path, 'was-run');
  const planted = `#!/bin/sh\necho run > ${witness}\necho 'temporal version 9.9.9 (Server 9.9.9)'\n`;
  await writeFile(join(folder.path, 'temporal'), planted, { mode: 0o755 });
  await writeFile(join(folder.path, 'temporal-sdk-typescript-1.24.0'), planted, { mode: 0o755 });
  const find = `import { findTemporal } from ${JSON.stringify(module)}; process.stdout.write(await findTemporal(() => {}));`;

  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '--eval', find], {
    env: { ...process.env, PATH: `${folder.path}:${process.env['PATH'] ?? ''}`, TMPDIR: folder.path },
  });

  expect(stdout).not.toContain(folder.path);
  await expect(access(witness)).rejects.toThrow('ENOENT');
});

async function scratch() {
  const path = await mkdtemp(join(tmpdir(), 'fetch-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
