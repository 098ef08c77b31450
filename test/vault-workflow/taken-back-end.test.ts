import { expect, test } from '@jest/globals';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import type { TerminationStage } from '../../src/platform/temporal/activity-types.ts';
import { vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { until } from '../stack/until.ts';
import { locked, runVault } from './run-vault.ts';

test('a vault whose LIQUIDATE is taken back while it ends is governed again, and ends with the next one', async () => {
  let liquidated = true;
  let step: TerminationStage['step'] = 'end_proposals';
  await using running = await runVault(instant(wallClock.now() + 3_600_000), {
    lockVault: () => Promise.resolve({ ...locked, isTerminating: liquidated }),
    advanceTermination: () => Promise.resolve({ step, prepares: false, until: null, reason: 'liquidated' }),
  });
  const handle = running.client.workflow.getHandle(vaultWorkflowId(running.vaultId));
  const shows = (text: string) => until(async () => (await running.details()).startsWith(text), { what: text });
  const change = async (to: typeof step) => {
    step = to;
    liquidated = to !== 'settlement';
    await handle.signal('liquidationDecided');
  };

  await shows('The vault is ending.');
  await change('settlement');
  await shows('Settled.');
  await change('end_proposals');
  await shows('The vault is ending.');
  await change('ended');
  expect(await running.result()).toEqual({ reason: 'liquidated' });
});
