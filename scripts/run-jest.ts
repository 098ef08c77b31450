import { spawn } from 'node:child_process';

const ONE_HOUR = 60 * 60_000;

/** Runs the tests below a path with these variables, its output shown; the exit code of this process becomes that of jest. */
export function runJest(path: string, environment: Readonly<Record<string, string>>, timeoutMs = ONE_HOUR): void {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = ['node_modules/jest/bin/jest.js', path, '--forceExit', '--testTimeout', String(timeoutMs)];
  const child = spawn(process.execPath, [...flags, ...jest], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  child.on('close', (code) => {
    process.exitCode = code ?? 1;
  });
}
