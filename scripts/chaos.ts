/** `npm run chaos [-- --seed 1 --stops 30]`: lives a vault while something is stopped at random points; prints which. */
import { parseArgs } from 'node:util';
import { requireNumbers } from './require-numbers.ts';
import { runJest } from './run-jest.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, stops: { type: 'string', default: '30' } },
});
requireNumbers(values);
runJest('test/chaos', { CHAOS_SEED: values.seed, CHAOS_STOPS: values.stops });
