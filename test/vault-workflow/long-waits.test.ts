import { expect, test } from '@jest/globals';
import { wallClock, secondsAfter } from '../../src/platform/units/time.ts';
import { vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { eventsBeforeContinueAsNew } from '../stack/shared-stack.ts';
import { until } from '../stack/until.ts';
import { locked, runVault } from './run-vault.ts';

const HOUR = 3600;
const MOST_SIGNALS = 100;
/** An eighth of the 10,000 that a run takes at most, as the histories of these tests are an eighth as long. */
const SIGNALS = 1250;
/** The server holds this many for a run that is busy; when more come, it fails the run's task, and tries again ever later. */
const SIGNALS_AT_ONCE = 100;
const DAY_MS = 86_400_000;

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

test('a burst of signals while an activity cannot end neither kills the run nor fills its history', async () => {
  const back = Promise.withResolvers<true>();
  await using vault = await runVault(secondsAfter(wallClock.now(), HOUR), { depositsAreFinal: () => back.promise });
  // The worker cannot stop before the activity ends.
  using _end = {
    [Symbol.dispose]() {
      back.resolve(true);
    },
  };
  const handle = vault.client.workflow.getHandle(vaultWorkflowId(vault.vaultId));
  const firstRun = await vault.runId();
  for (let sent = 0; sent < SIGNALS; sent += SIGNALS_AT_ONCE) {
    await Promise.all(Array.from({ length: SIGNALS_AT_ONCE }, () => handle.signal('transactionChanged')));
    await until(() => vault.hasReadSignals(), { what: 'the run to read the signals' });
  }

  await until(async () => (await vault.runId()) !== firstRun, { what: 'a new run' });
  back.resolve(true);
  await until(async () => (await vault.details()).startsWith('Settled.'), { what: 'the vault to go on' });
  expect(await vault.historyLength(firstRun)).toBeLessThan(2 * SIGNALS);
});

test('a lost signal costs a vault time only, and 90 days without one few steps', async () => {
  let areFinal = false;
  let reads = 0;
  await using vault = await runVault(secondsAfter(wallClock.now(), 3 * HOUR), {
    depositsAreFinal: () => Promise.resolve(areFinal || null),
    lockVault() {
      reads += 1;
      return Promise.resolve(locked);
    },
  });
  await until(async () => (await vault.details()).includes('every deposit is final'), { what: 'the wait' });
  areFinal = true;
  await vault.moveTo(65 * 60_000);
  await until(() => reads > 0, { what: 'the vault to go on' });

  await vault.moveTo(90 * DAY_MS);
  expect(reads).toBeLessThan(20);
});
