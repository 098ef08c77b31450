import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { countTests, failedFiles, type JestReport, slowestFiles, withRetries } from './jest-report.ts';

const SLOWEST_SHOWN = 10;

/** Runs the tests, then the failed files once more without others beside them; prints retries and the slowest files. */
export async function runTests(patterns: readonly string[]): Promise<{ passed: number; failed: number }> {
  const first = await jest('.cache/jest-report.json', patterns);
  if (!first.report) return { passed: 0, failed: 1 };
  printSlowest(first.report);
  const failed = failedFiles(first.report);
  if (failed.length === 0) {
    const counts = countTests(first.report);
    return { ...counts, failed: first.exitCode === 0 ? 0 : 1 };
  }
  await rm('.cache/retried', { recursive: true, force: true });
  await mkdir('.cache/retried', { recursive: true });
  for (const { name, message } of failed) await writeFile(logOf(name), message);
  const files = failed.map(({ name }) => name);
  const retry = await jest('.cache/jest-retry-report.json', ['--runInBand', '--runTestsByPath', ...files]);
  for (const name of files) {
    process.stdout.write(`retried: ${relative('.', name)} (log of the first run: ${logOf(name)})\n`);
  }
  const counts = countTests(withRetries(first.report, retry.report ?? { testResults: [] }));
  // Jest can also fail outside of a file, as when it cannot stop what it started.
  return retry.exitCode !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

async function jest(reportFile: string, args: readonly string[]): Promise<{ report?: JestReport; exitCode: number }> {
  await rm(reportFile, { force: true });
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const options = ['--json', `--outputFile=${reportFile}`, '--forceExit', ...args];
  const child = spawn(process.execPath, [...flags, 'node_modules/jest/bin/jest.js', ...options], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exitCode = await new Promise<number>((resolve) =>
    child.on('close', (status) => {
      resolve(status ?? 1);
    }),
  );
  const text = await readFile(reportFile, 'utf8').catch(() => undefined);
  return { exitCode, ...(text !== undefined && { report: JSON.parse(text) as JestReport }) };
}

function printSlowest(report: JestReport): void {
  process.stdout.write('\nSlowest test files:\n');
  for (const { name, seconds } of slowestFiles(report, SLOWEST_SHOWN)) {
    process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${relative('.', name)}\n`);
  }
}

function logOf(file: string): string {
  return `.cache/retried/${relative('.', file).replaceAll('/', '-')}.log`;
}
