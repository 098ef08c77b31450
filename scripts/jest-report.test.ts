import { expect, test } from '@jest/globals';
import { countTests, failedFiles, type JestReport, slowestFiles, withRetries } from './jest-report.ts';

const file = (name: string, tests: readonly string[], status = 'passed', seconds = 1) => ({
  name,
  status,
  message: status === 'failed' ? `${name} failed` : '',
  startTime: 1000,
  endTime: 1000 + seconds * 1000,
  assertionResults: tests.map((result) => ({ status: result })),
});
const report = (...testResults: JestReport['testResults']): JestReport => ({ testResults });

test('a file fails if one of its tests fails or if it cannot be loaded', () => {
  const first = report(
    file('good', ['passed']),
    file('bad', ['passed', 'failed'], 'failed'),
    file('broken', [], 'failed'),
  );
  expect(failedFiles(first).map(({ name }) => name)).toEqual(['bad', 'broken']);
  expect(countTests(first)).toEqual({ passed: 2, failed: 2 });
});

test('a retried file that passes counts as passed', () => {
  const first = report(file('good', ['passed']), file('bad', ['passed', 'failed'], 'failed'));
  const retry = report(file('bad', ['passed', 'passed']));
  expect(countTests(withRetries(first, retry))).toEqual({ passed: 3, failed: 0 });
});

test('a retried file that fails again counts as failed', () => {
  const first = report(file('bad', ['failed', 'failed'], 'failed'));
  const retry = report(file('bad', ['passed', 'failed'], 'failed'));
  expect(countTests(withRetries(first, retry))).toEqual({ passed: 1, failed: 1 });
});

test('a file whose retry has no result keeps its failure', () => {
  const first = report(file('bad', ['failed'], 'failed'));
  expect(countTests(withRetries(first, report()))).toEqual({ passed: 0, failed: 1 });
});

test('skipped tests count as neither passed nor failed', () => {
  expect(countTests(report(file('some', ['pending', 'todo', 'passed'])))).toEqual({ passed: 1, failed: 0 });
});

test('the slowest files come first, at most the requested number', () => {
  const timed = report(file('a', [], 'passed', 2), file('b', [], 'passed', 9), file('c', [], 'passed', 5));
  expect(slowestFiles(timed, 2)).toEqual([
    { name: 'b', seconds: 9 },
    { name: 'c', seconds: 5 },
  ]);
});
