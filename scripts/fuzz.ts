/** `npm run fuzz [-- --cases 10000 --seed 1]`: sends arbitrary requests to every operation. A failure prints its seed. */
import { parseArgs } from 'node:util';
import { requireNumbers } from './require-numbers.ts';
import { runJest } from './run-jest.ts';

const { values } = parseArgs({ options: { cases: { type: 'string', default: '10000' }, seed: { type: 'string' } } });
requireNumbers(values);
const { cases, seed } = values;
runJest('test/fuzz', { FUZZ_CASES: cases, ...(seed !== undefined && { FUZZ_SEED: seed }) });
