import { expect, test } from '@jest/globals';
import { processesOf } from '../start/processes.ts';
import { testStack } from './test-stack.ts';
import { until } from './until.ts';

test('every stack has its own migrated database and its own ledger', async () => {
  await using one = await testStack({ services: [] });
  await using other = await testStack({ services: [], blockMs: 0 });

  await until(async () => (await one.ledger.clock()).slot > 0, { what: 'the ledger answers' });
  const rows = await one.sql.run<{ found: string }>`SELECT to_regclass('vaults') AS found`;
  expect(rows).toEqual([{ found: 'vaults' }]);
  expect(other.databaseUrl).not.toBe(one.databaseUrl);
  expect(other.temporal.namespace).not.toBe(one.temporal.namespace);
  await other.ledger.mine(5);
  const tip = await other.ledger.query<{ height: number }>('/blocks/latest');
  expect(tip?.height).toBe(5);
});

test('a killed service stops, and a restart creates a new process', async () => {
  await using stack = await testStack({ services: ['worker'] });
  const { host, pathname } = new URL(stack.databaseUrl);
  const ours = () => processesOf(`${host}${pathname}`);
  const [before] = ours();

  await stack.kill('worker');
  expect(ours()).toEqual([]);
  await stack.restart('worker');

  const after = ours();
  expect(after).toEqual([{ pid: expect.any(Number), command: before?.command }]);
  expect(after[0]?.pid).not.toBe(before?.pid);
});

test('the api of a stack answers a request with its key', async () => {
  await using stack = await testStack();

  const ready = async () => (await stack.root.get('/health/ready', { key: null })).status === 200;
  await until(ready, { what: 'the api to be ready' });
  expect((await stack.api.get('/vaults')).status).toBe(200);
  expect((await stack.api.get('/vaults', { key: null })).status).toBe(401);
});
