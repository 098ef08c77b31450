import { spawn } from 'node:child_process';

/** Of a test that does not set its own. */
const TIMEOUT_MS = 60 * 60_000;

/** Runs the tests below a path with these variables, its output shown; the exit code of this process becomes that of jest. */
export function runJest(path: string, environment: Readonly<Record<string, string>>): void {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = ['node_modules/jest/bin/jest.js', path, '--forceExit', '--testTimeout', String(TIMEOUT_MS)];
  const child = spawn(process.execPath, [...flags, ...jest], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  child.on('close', (code) => {
    process.exitCode = code ?? 1;
  });
}
