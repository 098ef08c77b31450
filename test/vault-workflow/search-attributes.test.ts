import { expect, test } from '@jest/globals';
import type { VaultStatus } from '../../src/vaults/rules/vault.ts';
import { wallClock, secondsAfter } from '../../src/platform/units/time.ts';
import { searchAttributes } from '../../src/platform/temporal/search-attributes.ts';
import { until } from '../stack/until.ts';
import { locked, runVault } from './run-vault.ts';

const HOUR = 3600;
const inAnHour = secondsAfter(wallClock.now(), HOUR);

/** Runs a draft whose asset window closes in an hour; `becomes` changes its status, and why it fails, in Postgres. */
async function runDraft() {
  let current: { status: VaultStatus; reason: 'cancelled' | null } = { status: 'DRAFT', reason: null };
  const vault = await runVault(secondsAfter(inAnHour, HOUR), {
    readSchedule: () =>
      Promise.resolve({
        transitions: [{ window: 'asset', change: 'close', at: inAnHour }],
        settlesBy: secondsAfter(inAnHour, HOUR),
        status: current.status,
      }),
    readFailure: () => Promise.resolve(current),
    lockVault: () => Promise.resolve({ ...locked, status: current.status }),
  });
  return {
    ...vault,
    async becomes(status: VaultStatus, reason: 'cancelled' | null = null) {
      current = { status, reason };
      await vault.signal('transactionChanged');
    },
    /** Waits until operators find it by this status and phase. */
    async isFoundBy(status: VaultStatus, phase: string) {
      const isFound = async () => {
        const { typedSearchAttributes: found } = await vault.handle.describe();
        return found.get(searchAttributes.vaultStatus) === status && found.get(searchAttributes.phase) === phase;
      };
      return until(isFound, { what: `${status} in ${phase}` });
    },
  };
}

test('operators find a vault in Temporal by its status and phase, also through a rollback', async () => {
  await using vault = await runDraft();
  expect(await vault.isFoundBy('DRAFT', 'asset_window_closes')).toBe(true);
  await vault.becomes('ACTIVE');
  expect(await vault.isFoundBy('ACTIVE', 'asset_window_closes')).toBe(true);
  await vault.moveTo((HOUR - 60) * 1000);
  await vault.becomes('LOCKED');
  await vault.moveTo((HOUR + 60) * 1000);
  for (const status of ['LOCKED', 'ACTIVE', 'LOCKED'] as const) {
    await vault.becomes(status);
    expect(await vault.isFoundBy(status, 'governance')).toBe(true);
  }
});

test('operators find a vault in Temporal that ended without a settlement', async () => {
  await using vault = await runDraft();
  await vault.becomes('ACTIVE', 'cancelled');
  expect(await vault.isFoundBy('TERMINATED', 'ended')).toBe(true);
  expect(await vault.result()).toEqual({ reason: 'cancelled' });
});
