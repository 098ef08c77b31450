import { readFileSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

const startsProcesses = ({ path }) =>
  /\/(test-stack|file-stack|run-vault|npm-start|own-servers|api-process)\.ts'/.test(readFileSync(path, 'utf8'));

/**
 * Files that start processes run first, and those of the long tests before others. Jest knows how long a file takes only where it ran before,
 * else it goes by size: a short file that waits for minutes would run alone at the end.
 */
export default class ProcessesFirst extends Sequencer {
  async sort(tests) {
    const rank = (test) => (startsProcesses(test) ? 0 : 2) + (test.path.endsWith('.long.test.ts') ? 0 : 1);
    const ranked = (await super.sort(tests)).map((test) => ({ test, rank: rank(test) }));
    return ranked.sort((one, other) => one.rank - other.rank).map(({ test }) => test);
  }
}
