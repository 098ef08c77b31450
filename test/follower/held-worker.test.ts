import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { ledgerFollowerId, ledgerTaskQueue } from '../../src/platform/temporal/workflow-ids.ts';
import { followedHeight } from '../stack/followed-height.ts';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import { operator } from '../stack/operator.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { queuesOfActivities, workflowDetails } from '../stack/workflow-details.ts';

const MAX_ROLLBACK = 2;

const heldMetric = async (stack: TestStack) =>
  valueOf(await readMetrics(stack.metricsUrl('worker')), 'ledger_follower_held');

const waitForDetails = (stack: TestStack, sentence: string) =>
  until(async () => (await workflowDetails(stack, ledgerFollowerId)).includes(sentence), {
    what: `the follower to show "${sentence}"`,
  });

test('a worker that meets a deep reorganisation says so once, stays up, and continues when an operator accepts it', async () => {
  await using stack = await testStack({ blockMs: 0, environment: { MAX_ROLLBACK: String(MAX_ROLLBACK) } });
  const height = 2 * MAX_ROLLBACK;
  for (const tip of [1, height]) {
    const { height: made } = await stack.ledger.mine(tip === 1 ? 1 : height - 1);
    expect(made).toBe(tip);
    await until(async () => (await followedHeight(stack)) === tip, { what: `block ${tip} to be followed` });
  }

  // On a queue of its own, so that no activity of a vault keeps it from following.
  const queues = await queuesOfActivities(stack, ledgerFollowerId);
  expect([...queues]).toEqual([['followLedger', ledgerTaskQueue('vaults')]]);

  await stack.ledger.rollback(MAX_ROLLBACK + 1);
  await waitForDetails(stack, `The ledger has other blocks after block ${height - MAX_ROLLBACK - 1}`);
  expect(await heldMetric(stack)).toBe(1);
  expect((await stack.root.get('/health/ready', { key: null })).status).toBe(200);
  await stack.restart('worker');
  await waitForDetails(stack, 'The ledger has other blocks');
  const alarms = (await readFile(stack.logFile('worker'), 'utf8')).match(/"code":"LEDGER_HISTORY_CHANGED"/g) ?? [];
  expect(alarms).toHaveLength(1);

  expect(await operator(stack, 'ledger', 'accept')).toContain('Accepted');
  const rows = await stack.sql.run`select actor_type, actor_id, resource_id from audit_log
      where action = 'LEDGER_HISTORY_ACCEPTED'`;
  expect(rows).toEqual([{ actor_type: 'SYSTEM', actor_id: 'operator', resource_id: String(height - MAX_ROLLBACK) }]);
  const { height: next } = await stack.ledger.mine(1);
  await until(async () => (await followedHeight(stack)) === next, { what: 'the new history to be followed' });
  await waitForDetails(stack, 'Following the ledger');
  expect(await heldMetric(stack)).toBe(0);
});
