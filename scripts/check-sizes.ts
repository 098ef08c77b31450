/** Prints the folders above the size limits, and fails if there is one. Tests and what is generated are not counted. */
import { glob, readFile } from 'node:fs/promises';

interface SourceFile {
  readonly path: string;
  readonly bytes: number;
  readonly lines: number;
}

/** Bytes that the .ts files directly in one folder may have on average. */
const MAX_AVERAGE_BYTES = 3200;
/** Share of the project's lines that one folder directly under src may have, with its subfolders. */
const MAX_SHARE = 0.2;
/** Each release adds to it and changes nothing of it, so it is in no folder's share. */
const HISTORY = 'src/store/migrations/';

/** One line for each folder whose files are too large on average, or that holds too much of the project. */
export function sizeProblems(files: readonly SourceFile[]): string[] {
  const averages = groups(files, ({ path }) => path.split('/').slice(0, -1).join('/')).flatMap(([folder, own]) => {
    const average = Math.round(sum(own.map(({ bytes }) => bytes)) / own.length);
    if (average <= MAX_AVERAGE_BYTES) return [];
    return [`${folder}: its ${own.length} files have ${average} bytes on average, above ${MAX_AVERAGE_BYTES}`];
  });
  const total = sum(files.map(({ lines }) => lines));
  const divided = files.filter(({ path }) => !path.startsWith(HISTORY));
  const shares = groups(divided, ({ path }) => /^src\/[^/]+(?=\/)/.exec(path)?.[0] ?? '').flatMap(([folder, own]) => {
    const share = sum(own.map(({ lines }) => lines)) / total;
    if (folder === '' || share <= MAX_SHARE) return [];
    return [`${folder}: ${(share * 100).toFixed(1)} % of all lines, above ${MAX_SHARE * 100} %`];
  });
  return [...averages, ...shares];
}

function groups(files: readonly SourceFile[], keyOf: (file: SourceFile) => string): [string, SourceFile[]][] {
  return [...Map.groupBy(files, keyOf)].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

async function sourceFiles(): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for await (const path of glob('{src,workflows,activities,worker,embedded,bench,scripts,client/src}/**/*.ts')) {
    if (path.endsWith('.test.ts') || path === 'client/src/schema.ts') continue;
    const text = await readFile(path, 'utf8');
    files.push({ path, bytes: Buffer.byteLength(text), lines: text.split('\n').length - 1 });
  }
  return files;
}

if (import.meta.main) {
  const problems = sizeProblems(await sourceFiles());
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
