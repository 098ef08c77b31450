/**
 * Runs the tests of a length, `short`, `long` or `all`, and beside them every check unless they are the long ones. The last line is
 * `N passed, N failed`. Further arguments go to jest.
 */
import { mkdir } from 'node:fs/promises';
import { runChecks } from './checks.ts';
import { runTests } from './run-tests.ts';

const [length = 'short', ...patterns] = process.argv.slice(2);
await mkdir('.cache', { recursive: true });
const none = { passed: 0, failed: 0 };
const [checks, tests] = await Promise.all([length === 'long' ? none : runChecks(), runTests(length, patterns)]);
const passed = checks.passed + tests.passed;
const failed = checks.failed + tests.failed;
const seconds = Math.round(performance.now() / 1000);
process.stdout.write(`\nTook ${Math.floor(seconds / 60)} min ${seconds % 60} s\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
