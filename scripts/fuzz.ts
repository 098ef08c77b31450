/** `npm run fuzz [-- --cases 10000 --seed 1]`: sends arbitrary requests to every operation. A failure prints its seed. */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { cases: { type: 'string', default: '10000' }, seed: { type: 'string' } } });
const { cases, seed } = values;
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const jest = ['node_modules/jest/bin/jest.js', 'test/fuzz', '--forceExit', '--testTimeout', String(60 * 60_000)];
const child = spawn(process.execPath, [...flags, ...jest], {
  stdio: 'inherit',
  env: { ...process.env, FUZZ_CASES: cases, ...(seed !== undefined && { FUZZ_SEED: seed }) },
});
child.on('close', (code) => {
  process.exitCode = code ?? 1;
});
