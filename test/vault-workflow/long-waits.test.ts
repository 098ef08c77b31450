import { expect, test } from '@jest/globals';
import { wallClock } from '../../src/domain/units/clock.ts';
import { secondsAfter } from '../../src/domain/units/instant.ts';
import { vaultWorkflowId } from '../../src/temporal/workflow-ids.ts';
import { eventsBeforeContinueAsNew } from '../stack/shared-stack.ts';
import { until } from '../stack/until.ts';
import { runVault } from './run-vault.ts';

const HOUR = 3600;
const MOST_SIGNALS = 100;

test.concurrent.each([
  ['settles', null, 'Settled.'],
  ['has failed', 'cancelled', 'Terminated: cancelled.'],
] as const)(
  'thousands of deposits that become final one by one do not end a vault that %s by the size of its history',
  async (_, reason, end) => {
    let areFinal = false;
    let looks = 0;
    await using vault = await runVault(secondsAfter(wallClock.now(), HOUR), {
      readFailure: () => Promise.resolve({ status: 'ACTIVE', reason }),
      depositsAreFinal: () => {
        looks += 1;
        return Promise.resolve(areFinal || null);
      },
    });
    await until(() => looks > 0, { what: 'the wait for the deposits' });
    const firstRun = await vault.runId();
    const handle = vault.client.workflow.getHandle(vaultWorkflowId(vault.vaultId));
    for (let sent = 0; sent < MOST_SIGNALS && (await vault.runId()) === firstRun; sent += 1) {
      const before = looks;
      await handle.signal('transactionChanged');
      await until(() => looks > before, { what: 'the deposits to be looked at again' });
    }
    expect(await vault.runId()).not.toBe(firstRun);
    expect(await vault.historyLength(firstRun)).toBeLessThan(eventsBeforeContinueAsNew * 1.5);

    areFinal = true;
    await handle.signal('transactionChanged');
    await until(async () => (await vault.details()).startsWith(end), { what: 'the vault to go on' });
  },
);
