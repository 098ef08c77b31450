import { expect, test } from '@jest/globals';
import { wallClock } from '../../src/domain/units/clock.ts';
import { secondsAfter } from '../../src/domain/units/instant.ts';
import type { TransactionState } from '../../src/domain/transaction/transaction-state.ts';
import { eventsBeforeContinueAsNew } from '../stack/shared-stack.ts';
import { until } from '../stack/until.ts';
import { runVault } from './run-vault.ts';

const HOUR = 3600;
const STEP_HOURS = 2;
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
    const state: TransactionState = isFailed ? 'failed' : 'confirmed';
    return Promise.resolve({ state, expiresAt: settlesBy, error: isFailed ? 'BadInputsUTxO' : null });
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
  for (; (await vault.runId()) === firstRun; hours += STEP_HOURS) {
    expect(hours).toBeLessThan(20 * 24);
    await vault.moveTo((hours + STEP_HOURS) * HOUR * 1000);
  }
  const before = refusals;
  await vault.moveTo((hours + STEP_HOURS) * HOUR * 1000);
  expect(refusals).toBeGreaterThan(before);

  expect(holds.length).toBeGreaterThan(0);
  expect(await vault.historyLength(firstRun)).toBeLessThan(BOUND);
  isRefused = false;
  await vault.moveTo((hours + 2 * STEP_HOURS) * HOUR * 1000);
  await until(async () => (await vault.details()).startsWith('Settled.'), { what: 'the vault to go on' });
  expect(await vault.details()).not.toContain('BadInputsUTxO');
});
