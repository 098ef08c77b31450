/** `npm run soak [-- --minutes 60 --seed 1]`: vaults live with random faults and rollbacks; prints a table of what was measured. */
import { parseArgs } from 'node:util';
import { requireNumbers } from './require-numbers.ts';
import { runJest } from './run-jest.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
});
requireNumbers(values);
runJest('test/soak', { SOAK_MINUTES: values.minutes, SOAK_SEED: values.seed });
