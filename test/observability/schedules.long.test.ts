import { expect, test } from '@jest/globals';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import { testStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

test('a Schedule of which every run fails shows when one last succeeded', async () => {
  await using stack = await testStack({ services: ['worker'] });
  const { connection, workflow } = connectTemporal({ ...stack.temporal, taskQueue: 'none' });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => connection.close());
  const untilRun = (status: string, after: Date) =>
    until(
      async () => {
        const query = `WorkflowType = 'sweep' and ExecutionStatus = '${status}' and TemporalNamespaceDivision = 'upkeep'`;
        for await (const { closeTime } of workflow.list({ query }))
          if (closeTime && closeTime > after) return closeTime;
        return null;
      },
      { what: `a sweep that is ${status}` },
    );
  // A worker looks when it starts, and then each minute.
  const seconds = async (what: 'started' | 'succeeded') => {
    const text = await readMetrics(stack.metricsUrl('worker'));
    return valueOf(text, `schedule_${what}_timestamp_seconds{schedule="sweep"}`);
  };
  const look = async () => {
    await stack.restart('worker');
    await until(async () => (await seconds('succeeded')) !== null, { what: 'the look at the Schedules' });
  };
  const first = await untilRun('Completed', new Date(0));
  await stack.sql.run`alter table anchored_actions rename to anchored_actions_away`;
  // One that ran meanwhile may still have succeeded.
  const failed = await untilRun('Failed', await untilRun('Failed', first));
  await look();
  const before = await seconds('succeeded');
  expect(before).toBeGreaterThanOrEqual(first.getTime() / 1000);
  expect(before).toBeLessThan(failed.getTime() / 1000);
  expect(await seconds('started')).toBeGreaterThan(before ?? 0);

  await stack.sql.run`alter table anchored_actions_away rename to anchored_actions`;
  const again = await untilRun('Completed', failed);
  await look();
  expect(await seconds('succeeded')).toBeGreaterThanOrEqual(again.getTime() / 1000);
});
