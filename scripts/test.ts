/**
 * Runs the tests of a length, `short`, `long` or `all`, and beside them every check unless they are the long ones. The last line is
 * `N passed, N failed`. Further arguments go to jest.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { runChecks } from './checks.ts';
import { runTests } from './run-tests.ts';

const [length = 'short', ...patterns] = process.argv.slice(2);
await mkdir('.cache', { recursive: true });
const none = { passed: 0, failed: 0 };
const [checks, tests] = await Promise.all([length === 'long' ? none : runChecks(), runTests(length, patterns)]);
const passed = checks.passed + tests.passed;
const failed = checks.failed + tests.failed;
const seconds = Math.round(performance.now() / 1000);
const took = `Took ${Math.floor(seconds / 60)} min ${seconds % 60} s, ${await cpuSeconds()}`;
process.stdout.write(`\n${took}\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** CPU time of all processes that ran and have ended, as Linux knows it. */
async function cpuSeconds(): Promise<string> {
  const stat = await readFile('/proc/self/stat', 'utf8').catch(() => undefined);
  if (stat === undefined) return 'CPU time unknown';
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  // utime, stime, cutime and cstime, in hundredths of a second on every usual Linux.
  const hundredths = fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0);
  return `${Math.round(hundredths / 100)} s of CPU`;
}
