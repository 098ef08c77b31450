import { glob, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';

const sources: string[] = [];
for await (const file of glob('{src,worker,activities}/**/*.ts')) {
  if (!file.endsWith('.test.ts')) sources.push(await readFile(file, 'utf8'));
}
const code = sources.join('\n');
const codeSpans = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
const missing = (names: readonly string[]) => [...new Set(names)].filter((name) => !code.includes(name));

test('each metric that an operator is told to watch is one that the service has', async () => {
  const page = await readFile('docs/operations/monitoring.md', 'utf8');
  const [, tables = ''] = /## Alarms\n(.*?)\n## Logs/s.exec(page) ?? [];
  const names = codeSpans(tables).filter((name) => /^[a-z]+(_[a-z]+)+$/.test(name));
  expect(names.length).toBeGreaterThan(20);
  expect(missing(names)).toEqual([]);
});

test('each message and error code by which the runbook lets an operator find an alarm is one that the service writes', async () => {
  const page = await readFile('docs/operations/runbook.md', 'utf8');
  const symptoms = page.split('\n').filter((line) => line.startsWith('**Symptom.**'));
  const names = codeSpans(symptoms.join('\n')).filter((name) => /^[A-Z_]{6,}$|^\S+ \S+ \S+/.test(name));
  expect(names.length).toBeGreaterThan(8);
  expect(missing(names)).toEqual([]);
});

test('each workflow and Schedule that the operators look for by its id is one that the service starts', async () => {
  const page = await readFile('docs/operations/README.md', 'utf8');
  const [, table = ''] = /\| Workflow id .*?\n(.*?)\n\n/s.exec(page) ?? [];
  const prefixes = codeSpans(table).map((id) => id.replace(/<.*/, ''));
  expect(prefixes.length).toBeGreaterThan(10);
  expect(prefixes.filter((id) => !code.includes(`'${id}`) && !code.includes(`\`${id}`))).toEqual([]);
});
