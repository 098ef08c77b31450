import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { testStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { openBatcher } from './anchor-batcher.ts';

test('1,000 facts in 10 s need at most 110 transactions at the embedded interval and 3 at the production one', async () => {
  await using stack = await testStack({ services: ['worker'] });
  const surroundings = { ...stack, ledgerUrl: stack.ledger.url };
  await using quick = openBatcher({ ...surroundings, minIntervalMs: 100 });
  await using slow = openBatcher({ ...surroundings, minIntervalMs: 5000 });

  const steadily = async (anchors: typeof quick) => {
    const begin = performance.now();
    const answers = [];
    for (let number = 0; number < 1000; number += 1) {
      answers.push(anchors.note(`fact ${number}`));
      if (number % 10 === 9) await pause(Math.max(0, begin + 9.4 * number - performance.now()));
    }
    const { size } = new Set((await Promise.all(answers)).map(({ hash }) => hash));
    return { size, ms: performance.now() - begin };
  };
  const [quickly, slowly] = await Promise.all([steadily(quick), steadily(slow)]);

  // One in each interval, of however long this machine needed; a timer may be a millisecond early.
  const atMost = (ms: number, intervalMs: number) => Math.floor((1.02 * ms) / intervalMs) + 1;
  expect(quickly.size).toBeLessThanOrEqual(Math.max(110, atMost(quickly.ms, 100)));
  expect(slowly.size).toBeLessThanOrEqual(Math.max(3, atMost(slowly.ms, 5000)));
  await until(
    async () => {
      const rows = await stack.sql.run<{ missing: number }>`select count(*)::int as missing from anchor_batches
          where not confirmed`;
      return rows[0]?.missing === 0;
    },
    { what: 'every batch to be on the ledger', deadlineMs: 150_000 },
  );
  const rows = await stack.sql.run<{ anchorChains: number; facts: number }>`
      select count(distinct anchor_chain_id)::int as "anchorChains", sum(facts)::int as facts from anchor_batches`;
  expect(rows).toEqual([{ anchorChains: 2, facts: 2000 }]);
});
