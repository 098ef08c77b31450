import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { relative } from 'node:path';
import { countTests, type JestReport, secondsByPart, slowestFiles } from './jest-report.ts';

const REPORT = '.cache/jest-report.json';
const SLOWEST_SHOWN = 10;

/** Runs the tests of a length (`short`, `long` or `all`) and prints the slowest files and the time by part. A test that fails is not run again. */
export async function runTests(
  length: string,
  patterns: readonly string[],
): Promise<{ readonly passed: number; readonly failed: number }> {
  const { exitCode, report } = await jest(length, patterns);
  if (!report) return { passed: 0, failed: 1 };
  process.stdout.write('\nSlowest test files:\n');
  for (const { name, seconds } of slowestFiles(report, SLOWEST_SHOWN))
    process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${relative('.', name)}\n`);
  const parts = secondsByPart(report, '.').map(({ part, seconds }) => `${part} ${Math.round(seconds)}`);
  process.stdout.write(`\nSeconds of test files by part: ${parts.join(', ')}\n`);
  const counts = countTests(report);
  // Jest can also fail outside of a file, as when it cannot stop what it started.
  return exitCode !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

async function jest(length: string, args: readonly string[]) {
  await rm(REPORT, { force: true });
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const options = ['--json', `--outputFile=${REPORT}`, '--forceExit', ...args];
  const child = spawn(process.execPath, [...flags, 'node_modules/jest/bin/jest.js', ...options], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...(length !== 'all' && { TEST_LENGTH: length }) },
  });
  const exitCode = await new Promise<number>((resolve) =>
    child.on('close', (status) => {
      resolve(status ?? 1);
    }),
  );
  const text = await readFile(REPORT, 'utf8').catch(() => undefined);
  return { exitCode, report: text === undefined ? undefined : (JSON.parse(text) as JestReport) };
}
