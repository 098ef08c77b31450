import { readFileSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

const startsProcesses = ({ path }) =>
  /\/(test-stack|file-stack|run-vault|npm-start|own-servers)\.ts'/.test(readFileSync(path, 'utf8'));

/** Of the sequence: where the last file that starts processes stands. */
const PROCESSES_UNTIL = 0.4;

/**
 * Files that start processes wait most of the time, and the others compute: they alternate, so that both cores always have something to do.
 * Jest knows how long a file takes only where it ran before, else it goes by size: the end is left to the others, because a short file
 * that waits for minutes would run alone there.
 */
export default class AlternateFiles extends Sequencer {
  async sort(tests) {
    const { waiting = [], computing = [] } = Object.groupBy(await super.sort(tests), (test) =>
      startsProcesses(test) ? 'waiting' : 'computing',
    );
    return [...placed(waiting, PROCESSES_UNTIL), ...placed(computing, 1)]
      .toSorted((one, other) => one.place - other.place)
      .map(({ test }) => test);
  }
}

/** The tests at even distances from 0 to `end`. */
function placed(tests, end) {
  return tests.map((test, position) => ({ test, place: (end * position) / tests.length }));
}
