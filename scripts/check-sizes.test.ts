import { expect, test } from '@jest/globals';
import { sizeProblems } from './check-sizes.ts';

const file = (path: string, bytes: number, lines: number) => ({ path, bytes, lines });

test('files and folders within the limits give no problem', () => {
  const files = [file('src/a/x.ts', 3200, 20), file('worker/main.ts', 1000, 80)];
  expect(sizeProblems(files)).toEqual([]);
});

test('a folder is reported if the average of its own files is too large; subfolders do not count', () => {
  const files = [file('worker/a.ts', 6000, 1), file('worker/b.ts', 402, 1), file('worker/deep/c.ts', 10, 1)];
  expect(sizeProblems(files)).toEqual(['worker: its 2 files have 3201 bytes on average, above 3200']);
});

test('a folder under src is reported if it has more than a fifth of all lines, its subfolders included', () => {
  const files = [file('src/a/x.ts', 1, 15), file('src/a/deep/y.ts', 1, 15), file('src/main.ts', 1, 70)];
  expect(sizeProblems(files)).toEqual(['src/a: 30.0 % of all lines, above 20 %']);
});

test('migrations are in no share: each release adds some, and none is ever changed', () => {
  const migrations = file('src/store/migrations/0001_all.ts', 1, 60);
  expect(sizeProblems([file('src/store/x.ts', 1, 20), migrations, file('src/main.ts', 1, 20)])).toEqual([]);
});
