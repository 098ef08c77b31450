import { readFileSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

const startsProcesses = ({ path }) =>
  /\/(test-stack|file-stack|run-vault|npm-start|own-servers|several-processes)\.ts'/.test(readFileSync(path, 'utf8'));

/**
 * Files that start processes run first. Jest knows how long a file takes only where it ran before, else it goes by size: a short file
 * that waits for minutes would run alone at the end.
 */
export default class ProcessesFirst extends Sequencer {
  async sort(tests) {
    const { first = [], last = [] } = Object.groupBy(await super.sort(tests), (test) =>
      startsProcesses(test) ? 'first' : 'last',
    );
    return [...first, ...last];
  }
}
