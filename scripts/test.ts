/** `npm test`: every check, then every test; the last line is `N passed, N failed`. Paths and patterns after `--` go to jest. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { checkPackages } from './check-packages.ts';

interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

interface Check {
  readonly name: string;
  run(): Promise<Finished>;
}

interface Finished {
  readonly ok: boolean;
  readonly output: string;
}

const report = '.cache/jest-report.json';
const tool = (path: string, ...args: string[]) => command(process.execPath, [`node_modules/${path}`, ...args]);

const checks: readonly Check[] = [
  { name: 'types', run: () => tool('typescript/bin/tsc', '-p', '.') },
  { name: 'lint', run: () => tool('eslint/bin/eslint.js', '--max-warnings=0', '.') },
  { name: 'format', run: () => tool('prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.') },
  {
    name: 'arrows',
    run: () =>
      tool('dependency-cruiser/bin/dependency-cruiser.mjs', '--config', '.dependency-cruiser.cjs', ...sources()),
  },
  { name: 'unused code', run: () => tool('knip/bin/knip.js', '--no-progress') },
  { name: 'packages', run: checkPackages },
];

await mkdir('.cache', { recursive: true });
const checked = await runChecks([...checks]);
const tested = await runTests(process.argv.slice(2));
const total = { passed: checked.passed + tested.passed, failed: checked.failed + tested.failed };
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed === 0 ? 0 : 1;

/** Two at a time: most of them use one core. */
async function runChecks(waiting: Check[]): Promise<Outcome> {
  const outcome = { passed: 0, failed: 0 };
  const work = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const began = performance.now();
      const { ok, output } = await check.run();
      const took = ((performance.now() - began) / 1000).toFixed(1);
      process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${check.name} (${took} s)\n${ok ? '' : `${output}\n`}`);
      outcome[ok ? 'passed' : 'failed'] += 1;
    }
  };
  await Promise.all([work(), work()]);
  return outcome;
}

async function runTests(patterns: readonly string[]): Promise<Outcome> {
  await rm(report, { force: true });
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const options = ['--json', `--outputFile=${report}`, '--forceExit', ...patterns];
  const child = spawn(process.execPath, [...flags, 'node_modules/jest/bin/jest.js', ...options], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise<number>((resolve) =>
    child.on('close', (status) => {
      resolve(status ?? 1);
    }),
  );
  const text = await readFile(report, 'utf8').catch(() => undefined);
  if (text === undefined) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(text) as Record<string, number>;
  const failed = (numFailedTests ?? 0) + (numRuntimeErrorTestSuites ?? 0);
  return { passed: numPassedTests ?? 0, failed: code !== 0 && failed === 0 ? 1 : failed };
}

function sources(): string[] {
  return ['src', 'workflows', 'activities', 'worker', 'embedded', 'test', 'scripts'].filter((folder) =>
    existsSync(folder),
  );
}

function command(program: string, args: readonly string[]): Promise<Finished> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('close', (status) => {
      resolve({ ok: status === 0, output });
    });
  });
}
