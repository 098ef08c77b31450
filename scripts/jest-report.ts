import { relative, sep } from 'node:path';

/** The part of jest's JSON report that `npm test` reads. */
export interface JestReport {
  readonly testResults: readonly FileResult[];
}

interface FileResult {
  /** Absolute path of the test file. */
  readonly name: string;
  readonly status: string;
  /** Milliseconds since the epoch. */
  readonly startTime: number;
  readonly endTime: number;
  readonly assertionResults: readonly { readonly status: string }[];
}

/** Counts tests. A file that could not be loaded, or failed with no failed test, counts as one failure. */
export function countTests({ testResults }: JestReport): { passed: number; failed: number } {
  let [passed, failed] = [0, 0];
  for (const { status, assertionResults } of testResults) {
    passed += assertionResults.filter((test) => test.status === 'passed').length;
    const failures = assertionResults.filter((test) => test.status === 'failed').length;
    failed += status === 'failed' ? Math.max(1, failures) : 0;
  }
  return { passed, failed };
}

/** The `count` files that took longest, slowest first. */
export function slowestFiles({ testResults }: JestReport, count: number): { name: string; seconds: number }[] {
  return testResults
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, count);
}

/** Wall time of the test files of each part (`src`, `test/http`), longest first. Files run at the same time, so they add up to more than the run. */
export function secondsByPart({ testResults }: JestReport, root: string): { part: string; seconds: number }[] {
  const seconds = new Map<string, number>();
  for (const { name, startTime, endTime } of testResults) {
    const [first = '', second = ''] = relative(root, name).split(sep);
    const part = first === 'test' ? `${first}/${second}` : first;
    seconds.set(part, (seconds.get(part) ?? 0) + (endTime - startTime) / 1000);
  }
  return [...seconds]
    .map(([part, sum]) => ({ part, seconds: sum }))
    .toSorted((one, other) => other.seconds - one.seconds);
}
