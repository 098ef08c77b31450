import { expect, test } from '@jest/globals';
import { wallClock, secondsAfter } from '../../src/platform/units/time.ts';
import { eventsBeforeContinueAsNew } from '../stack/shared-stack.ts';
import { until } from '../stack/until.ts';
import { inState, runVault } from './run-vault.ts';

const HOUR = 3600;
const STEP_HOURS = 2;
/** Six waits that double from 30 s to 15 min, and then one each quarter of an hour. */
const MOST_REFUSALS_IN_A_STEP = 15;
/** What a step of the clock may add after the suggestion to continue as new. */
const BOUND = eventsBeforeContinueAsNew * 1.5;

test('a ledger that refuses for a long time does not end the vault by the size of its history', async () => {
  const settlesBy = secondsAfter(wallClock.now(), -HOUR);
  let isRefused = true;
  let refusals = 0;
  const holds: number[] = [];
  const readTransaction = ({ transactionId }: { transactionId: string }) => {
    const isFailed = transactionId === 'liquidity' && isRefused;
    if (isFailed) refusals += 1;
    const read = inState(isFailed ? 'failed' : 'confirmed', settlesBy);
    return Promise.resolve({ ...read, error: isFailed ? 'BadInputsUTxO' : null });
  };
  await using vault = await runVault(settlesBy, {
    readTransaction,
    holdForFailures: ({ now }) => {
      holds.push(now);
      return Promise.resolve();
    },
  });
  await until(() => refusals > 0, { what: 'the first refusal' });
  await until(async () => (await vault.details()).includes('BadInputsUTxO'), { what: 'the reason to be shown' });
  const firstRun = await vault.runId();

  let hours = 0;
  const refusalsOfStep = async (): Promise<number> => {
    const before = refusals;
    hours += STEP_HOURS;
    await vault.moveTo(hours * HOUR * 1000);
    return refusals - before;
  };
  while ((await vault.runId()) === firstRun) {
    expect(hours).toBeLessThan(20 * 24);
    expect(await refusalsOfStep()).toBeLessThanOrEqual(MOST_REFUSALS_IN_A_STEP);
  }
  expect(await refusalsOfStep()).toBeGreaterThan(0);

  expect(holds.length).toBeGreaterThan(0);
  expect(await vault.historyLength(firstRun)).toBeLessThan(BOUND);
  isRefused = false;
  await vault.moveTo((hours + STEP_HOURS) * HOUR * 1000);
  await until(async () => (await vault.details()).startsWith('Settled.'), { what: 'the vault to go on' });
  expect(await vault.details()).not.toContain('BadInputsUTxO');
});

test.each([
  ['in one run', false, 2],
  ['of which another run has seen the first', true, 1],
] as const)('two transactions that expire %s hold their vault, until one lands', async (_, followsExpired, count) => {
  const settlesBy = secondsAfter(wallClock.now(), -HOUR);
  let expired = 0;
  const shown: boolean[] = [];
  await using vault = await runVault(settlesBy, {
    readTransaction({ transactionId }) {
      const isExpired = transactionId === 'liquidity' && expired < count;
      if (isExpired) expired += 1;
      const read = inState(isExpired ? 'expired' : 'confirmed', settlesBy);
      return Promise.resolve({ ...read, followsExpired: isExpired && followsExpired });
    },
    holdForFailures() {
      shown.push(expired === count);
      return Promise.resolve();
    },
  });
  await until(async () => (await vault.details()).startsWith('Settled.'), { what: 'the vault to go on' });
  expect(shown).toEqual([true]);
  expect(await vault.details()).not.toContain('expired');
});
