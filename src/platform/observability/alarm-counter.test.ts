import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { signatureRefusedCounter, unreadableCounter, lostWorkflowCounter } from './worker-metrics.ts';

test('each series of a counter that alarms is there before its first event, which else would be no increase', async () => {
  const registry = new Registry();
  const count = signatureRefusedCounter(registry);
  unreadableCounter(registry);
  lostWorkflowCounter(registry);

  const atStart = await registry.metrics();
  expect(atStart).toContain('unjustified_transactions_total{kind="mint"} 0\n');
  expect(atStart).toContain('unreadable_rows_total{table="investments"} 0\n');
  expect(atStart).toContain('lost_workflows_total{kind="ledgerFollower",end="STUCK"} 0\n');

  count('mint');
  expect(await registry.metrics()).toContain('unjustified_transactions_total{kind="mint"} 1\n');
});
