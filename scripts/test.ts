/** `npm test`: every check beside every test; the last line is `N passed, N failed`. Paths and patterns after `--` go to jest. */
import { mkdir } from 'node:fs/promises';
import { runChecks } from './checks.ts';
import { runTests } from './run-tests.ts';

await mkdir('.cache', { recursive: true });
const [checks, tests] = await Promise.all([runChecks(), runTests(process.argv.slice(2))]);
const passed = checks.passed + tests.passed;
const failed = checks.failed + tests.failed;
const seconds = Math.round(performance.now() / 1000);
process.stdout.write(`\nTook ${Math.floor(seconds / 60)} min ${seconds % 60} s\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
