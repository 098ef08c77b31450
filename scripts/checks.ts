import { existsSync } from 'node:fs';
import { checkPackages } from './check-packages.ts';
import { type CheckResult, runScript } from './command.ts';

interface Check {
  readonly name: string;
  run(): Promise<CheckResult>;
}

const tool = (path: string, ...args: string[]) => runScript(`node_modules/${path}`, ...args);

/** Without a cache it takes half a minute of CPU. */
const prettierCache = ['--cache', '--cache-strategy=content', '--cache-location=.cache/prettier'];

const checks: readonly Check[] = [
  { name: 'types and lint', run: () => tool('oxlint/bin/oxlint') },
  {
    name: 'format',
    run: () => tool('prettier/bin/prettier.cjs', '--check', '--log-level=warn', ...prettierCache, '.'),
  },
  {
    name: 'imports',
    run: () =>
      tool('dependency-cruiser/bin/dependency-cruiser.mjs', '--config', '.dependency-cruiser.cjs', ...sources()),
  },
  { name: 'unused code', run: () => tool('knip/bin/knip.js', '--no-progress') },
  { name: 'client schema', run: () => runScript('scripts/client-schema.ts', '--check') },
  { name: 'links', run: () => runScript('scripts/check-links.ts') },
  { name: 'words', run: () => runScript('scripts/check-words.ts') },
  { name: 'packages', run: checkPackages },
];

/** Runs every check, two at a time because most of them use one core, and prints each with its time. */
export async function runChecks(): Promise<{ passed: number; failed: number }> {
  const outcome = { passed: 0, failed: 0 };
  const waiting = [...checks];
  const runWaiting = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const began = performance.now();
      const { ok, output } = await check.run();
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${check.name} (${seconds} s)\n${ok ? '' : `${output}\n`}`);
      outcome[ok ? 'passed' : 'failed'] += 1;
    }
  };
  await Promise.all([runWaiting(), runWaiting()]);
  return outcome;
}

function sources(): string[] {
  return ['src', 'workflows', 'activities', 'worker', 'embedded', 'test', 'scripts', 'client'].filter((folder) =>
    existsSync(folder),
  );
}
