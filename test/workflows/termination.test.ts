import { expect, test } from '@jest/globals';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { searchAttributes } from '../../src/platform/temporal/search-attributes.ts';
import { until } from '../stack/until.ts';
import { locked } from '../vault-workflow/run-vault.ts';
import { prepares, runTermination, waits } from './run-ending.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const inAnHour = instant(wallClock.now() + HOUR);

test('a vault ends step by step: each is shown, claims end at their time, and the vault is terminated after the last', async () => {
  await using vault = await runTermination(waits('end_proposals'));
  const isPrepared = (count: number) =>
    until(() => vault.calls('prepareTermination').length >= count, { what: 'a transaction' });
  await vault.shows('The vault is ending. Waiting until the submitted executions are final or have failed.');
  await vault.becomes(prepares('gather_pot'));
  await vault.shows('Gathering the ADA and the tokens that holders share.');
  await isPrepared(1);
  await vault.becomes(waits('claims', inAnHour));
  await vault.shows('Holders can claim their share.');
  expect(await vault.phase()).toEqual({ name: 'claims', endsAt: inAnHour });

  const before = vault.calls('prepareTermination').length;
  await vault.moveTo(HOUR - MINUTE);
  expect(vault.calls('prepareTermination')).toHaveLength(before);
  vault.becomesUnseen(prepares('hand_over'));
  await vault.moveTo(HOUR + MINUTE);
  await vault.shows('Sending assets to their named wallets.');
  await isPrepared(before + 1);
  expect(vault.calls('prepareTermination')[before]?.now).toBeGreaterThanOrEqual(inAnHour);
  await vault.becomes(prepares('pay_remainder'));
  await vault.shows('Paying unclaimed ADA to its named wallet.');
  await isPrepared(before + 2);
  await vault.becomes(prepares('close_vault'));
  await vault.shows('Leaving only tokens without value with the vault.');
  await isPrepared(before + 3);
  await vault.becomes(waits('ended'));
  expect(await vault.result()).toEqual({ reason: 'liquidated' });
  expect(await vault.details()).toBe('Terminated.');
  const { typedSearchAttributes } = await vault.handle.describe();
  expect(typedSearchAttributes.get(searchAttributes.vaultStatus)).toBe('TERMINATED');
});

test('claims whose end is brought forward or put off end at the new time', async () => {
  await using vault = await runTermination(waits('claims', instant(inAnHour + 2 * HOUR)));
  const reads = () => vault.calls('advanceTermination').length;
  await vault.shows('Holders can claim');
  for (const end of [inAnHour, instant(inAnHour + HOUR)]) {
    const before = reads();
    await vault.becomes(waits('claims', end));
    await until(() => reads() > before, { what: 'the new time to be read' });
  }
  await vault.moveTo(HOUR + 10 * MINUTE);
  vault.becomesUnseen(waits('ended'));
  await vault.moveTo(2 * HOUR - MINUTE);
  expect((await vault.handle.describe()).status.name).toBe('RUNNING');
  await vault.moveTo(2 * HOUR + MINUTE);
  expect(await vault.result()).toEqual({ reason: 'liquidated' });
});

test('a vault that rotates waits for that before it gathers anything, and says so', async () => {
  await using vault = await runTermination({ ...waits('end_proposals'), waitsFor: 'rotation' });
  await vault.shows('The vault is ending. Waiting until its rotation has finished.');
  expect(vault.calls('prepareTermination')).toEqual([]);
  await vault.becomes(waits('ended'));
  expect(await vault.result()).toEqual({ reason: 'liquidated' });
});

test('a settled vault with a programmed end waits for that, and ends then', async () => {
  let isOver = false;
  await using vault = await runTermination(waits('ended'), {
    lockVault: ({ now }) => {
      isOver = now >= inAnHour;
      return Promise.resolve({ ...locked, endsAt: inAnHour, isTerminating: isOver });
    },
  });
  await vault.shows('Settled. Waiting for its programmed end, or a vote to end it.');
  await vault.moveTo(HOUR - MINUTE);
  expect([isOver, vault.calls('advanceTermination')]).toEqual([false, []]);
  expect(vault.calls('lockVault').length).toBeLessThan(5);
  await vault.moveTo(HOUR + MINUTE);
  expect(await vault.result()).toEqual({ reason: 'liquidated' });
});
