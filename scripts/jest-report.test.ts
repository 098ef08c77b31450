import { expect, test } from '@jest/globals';
import { countTests, type JestReport, secondsByPart, slowestFiles } from './jest-report.ts';

const file = (name: string, tests: readonly string[], status = 'passed', seconds = 1) => ({
  name,
  status,
  startTime: 1000,
  endTime: 1000 + seconds * 1000,
  assertionResults: tests.map((result) => ({ status: result })),
});
const report = (...testResults: JestReport['testResults']): JestReport => ({ testResults });

test('a file fails if one of its tests fails or if it cannot be loaded', () => {
  const bad = report(
    file('good', ['passed']),
    file('bad', ['passed', 'failed'], 'failed'),
    file('broken', [], 'failed'),
  );
  expect(countTests(bad)).toEqual({ passed: 2, failed: 2 });
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

test('the time of files is added up by the folder of the tests', () => {
  const names = ['src/votes/vote.test.ts', 'test/http/auth.test.ts', 'src/vaults/x.test.ts'];
  const timed = report(...names.map((name, index) => file(`/repo/${name}`, [], 'passed', index + 1)));
  expect(secondsByPart(timed, '/repo')).toEqual([
    { part: 'src', seconds: 4 },
    { part: 'test/http', seconds: 2 },
  ]);
});
