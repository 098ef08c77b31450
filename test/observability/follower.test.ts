import { expect, test } from '@jest/globals';
import { ledgerFollowing } from '../../src/platform/observability/worker-metrics.ts';
import { createMetrics } from '../../src/platform/observability/metrics.ts';
import { followedHeight } from '../stack/followed-height.ts';
import { holdLocks } from '../stack/hold-locks.ts';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

async function lagOf(stack: TestStack): Promise<{ blocks: number | null; seconds: number | null }> {
  const metrics = await readMetrics(stack.metricsUrl('worker'));
  const [blocks, seconds] = ['blocks', 'seconds'].map((unit) => valueOf(metrics, `ledger_follower_lag_${unit}`));
  return { blocks: blocks ?? null, seconds: seconds ?? null };
}

test('a follower that cannot read blocks shows its lag in blocks and in seconds, and none once it has caught up', async () => {
  await using stack = await testStack({ blockMs: 0, lyingLedger: true, services: ['worker'] });
  await stack.ledger.mine(1);
  await until(async () => (await lagOf(stack)).blocks === 0, { what: 'the follower to be at the tip' });
  expect(valueOf(await readMetrics(stack.metricsUrl('worker')), 'ledger_follower_held')).toBe(0);

  stack.liar.lie(({ path }) => (path.includes('/next') ? 'drop' : 'honest'));
  await stack.ledger.mine(7);
  await until(async () => (await lagOf(stack)).blocks === 7, { what: 'the lag to be 7 blocks' });
  await until(async () => ((await lagOf(stack)).seconds ?? 0) > 2, { what: 'the lag to grow' });
  stack.liar.lie(() => 'drop');
  await until(async () => (await lagOf(stack)).blocks === null, { what: 'the unknown lag to be left out' });

  stack.liar.beHonest();
  await until(async () => (await lagOf(stack)).blocks === 0, { what: 'the follower to catch up' });
});

test('without Postgres no stale lag is shown', async () => {
  const registry = createMetrics();
  let isUp = true;
  const refresh = ledgerFollowing(registry, () =>
    isUp ? Promise.resolve({ lagBlocks: 3, lagSeconds: 60, isHeld: true }) : Promise.reject(new Error('gone')),
  );
  await refresh();
  expect(valueOf(await registry.metrics(), 'ledger_follower_lag_blocks')).toBe(3);
  isUp = false;
  await refresh();
  expect(valueOf(await registry.metrics(), 'ledger_follower_lag_blocks')).toBeNull();
  expect(valueOf(await registry.metrics(), 'ledger_follower_held')).toBeNull();
});

test('the follower continues while other activities use every connection', async () => {
  await using stack = await testStack({ blockMs: 0, environment: { DATABASE_CONNECTIONS: '1' } });
  await stack.ledger.mine(1);
  await holdLocks(stack, 'lock table vault_keys in access exclusive mode', async () => {
    const isStuck = async () =>
      (await stack.sql.run`select 1 from pg_locks where not granted and relation = 'vault_keys'::regclass`).length > 0;
    await until(isStuck, { what: 'the sweep to use the only connection' });
    const { height } = await stack.ledger.mine(5);
    const followed = async () => (await followedHeight(stack)) === height;
    await until(followed, { what: 'the blocks to be followed', deadlineMs: 8_000 });
    expect(await isStuck()).toBe(true);
  });
});
