import { expect, test } from '@jest/globals';
import { instant } from '../../platform/units/time.ts';
import { type VaultPhaseSnapshot, vaultPhaseAt } from './phase.ts';

const at = (seconds: number) => instant(seconds * 1000);
const snapshot: VaultPhaseSnapshot = {
  status: 'ACTIVE',
  failedBecause: null,
  assetWindow: { kind: 'asset', startsAt: at(100), endsAt: at(200), status: 'PENDING' },
  investmentWindow: { kind: 'investment', startsAt: at(150), endsAt: at(300), status: 'PENDING' },
  settlementStarted: false,
  settlesBy: at(1000),
  programmedEnd: null,
  claimDeadline: null,
};
const apart: VaultPhaseSnapshot = {
  ...snapshot,
  investmentWindow: { ...snapshot.investmentWindow, startsAt: at(250) },
};

test.each([
  ['creation', snapshot, 50, 100],
  ['asset_window', snapshot, 100, 150],
  ['asset_and_investment_window', snapshot, 150, 200],
  ['investment_window', snapshot, 200, 300],
  ['finality', snapshot, 300, 1000],
  ['between_windows', apart, 220, 250],
] as const)('phase %s follows the clock and ends at the next window boundary', (phase, given, seconds, endsAt) => {
  expect(vaultPhaseAt(given, at(seconds))).toMatchObject({ phase, phaseEndsAt: at(endsAt) });
});

test.each([
  ['settlement', { settlementStarted: true }, at(1000)],
  ['refund', { failedBecause: 'cancelled' }, null],
  ['terminating', { status: 'LOCKED', failedBecause: 'liquidated' }, null],
  ['governance', { status: 'LOCKED' }, null],
  ['governance', { status: 'LOCKED', programmedEnd: at(5000) }, at(5000)],
  ['ended', { status: 'TERMINATED' }, null],
] as const)('the recorded progress of a vault takes precedence over its windows: %s', (phase, change, endsAt) => {
  expect(vaultPhaseAt({ ...snapshot, ...change }, at(160))).toEqual({ phase, phaseEndsAt: endsAt, overdueSeconds: 0 });
});

test('a window that is not closed in time is overdue', () => {
  const late = vaultPhaseAt({ ...snapshot, assetWindow: { ...snapshot.assetWindow, status: 'ACTIVE' } }, at(207));
  expect(late).toMatchObject({ phase: 'investment_window', overdueSeconds: 7 });
  const closed = { ...snapshot, assetWindow: { ...snapshot.assetWindow, status: 'COMPLETED' } } as const;
  expect(vaultPhaseAt(closed, at(207)).overdueSeconds).toBe(0);
});

test('a vault that is not settled or ended in time is overdue', () => {
  const closed = {
    ...snapshot,
    assetWindow: { ...snapshot.assetWindow, status: 'COMPLETED' },
    investmentWindow: { ...snapshot.investmentWindow, status: 'COMPLETED' },
  } as const;
  expect(vaultPhaseAt(closed, at(1003))).toMatchObject({ phase: 'finality', overdueSeconds: 3 });
  const locked = { ...snapshot, status: 'LOCKED', programmedEnd: at(5000) } as const;
  expect(vaultPhaseAt(locked, at(5004)).overdueSeconds).toBe(4);
});
