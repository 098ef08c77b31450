import { expect, test } from '@jest/globals';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import { testStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { waitUntilAllConfirmed } from './anchor-proof.ts';
import { openBatcher } from './anchor-batcher.ts';

test('anchors that the ledger does not take are counted with the age of the oldest, until they have been confirmed', async () => {
  await using stack = await testStack({ blockMs: 300 });
  await using anchors = openBatcher({ ...stack, ledgerUrl: stack.ledger.url, minIntervalMs: 0 });
  const unlanded = async () => {
    const metrics = await readMetrics(stack.metricsUrl('api'));
    const { body } = await stack.root.get<{ details?: { anchors: { unlanded: unknown } } }>('/health/ready');
    const seconds = valueOf(metrics, 'anchor_oldest_unlanded_seconds') ?? -1;
    return { count: valueOf(metrics, 'anchors_unlanded'), seconds, shown: body.details?.anchors.unlanded };
  };
  await anchors.note('before');
  await waitUntilAllConfirmed(stack);
  expect(await unlanded()).toEqual({ count: 0, seconds: 0, shown: { count: 0, oldestSealedAt: null } });

  await stack.ledger.faults({ all: 'down' });
  const began = Date.now();
  for (const text of ['one', 'two']) await anchors.note(text);
  const built = Date.now();
  const old = await until(
    async () => {
      const found = await unlanded();
      return found.seconds > (built - began) / 1000 + 2 && found;
    },
    { what: 'the oldest anchor to grow older' },
  );
  expect(old).toMatchObject({ count: 2, shown: { count: 2, oldestSealedAt: expect.any(String) } });
  const { oldestSealedAt } = old.shown as { oldestSealedAt: string };
  expect(Date.parse(oldestSealedAt)).toBeGreaterThanOrEqual(began - 1);
  expect(Date.parse(oldestSealedAt)).toBeLessThanOrEqual(built);
  expect(old.seconds).toBeLessThanOrEqual((Date.now() - began) / 1000 + 1);

  await stack.ledger.faults({});
  await waitUntilAllConfirmed(stack);
  expect(await unlanded()).toMatchObject({ count: 0, seconds: 0, shown: { count: 0 } });
});
