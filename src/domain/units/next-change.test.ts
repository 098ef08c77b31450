import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type VaultPhaseSnapshot, vaultDeadlines, vaultPhaseAt } from '../vault/phase.ts';
import { windowStatusAt, windowStatuses } from '../vault/window.ts';
import { instant } from './instant.ts';
import { nextChange, nextSecondAfter } from './next-change.ts';

const times = fc.integer({ min: 0, max: 20_000 }).map(instant);
const windowOf = (kind: 'asset' | 'investment') =>
  fc.record({ kind: fc.constant(kind), startsAt: times, endsAt: times, status: fc.constantFrom(...windowStatuses) });
const vaults: fc.Arbitrary<VaultPhaseSnapshot> = fc.record({
  status: fc.constantFrom('DRAFT', 'ACTIVE', 'LOCKED', 'TERMINATED'),
  failedBecause: fc.constantFrom(null, 'cancelled'),
  assetWindow: windowOf('asset'),
  investmentWindow: windowOf('investment'),
  settlementStarted: fc.boolean(),
  settlesBy: times,
  programmedEnd: fc.option(times),
  claimDeadline: fc.option(times),
});

test('a vault looks the same until its next change', () => {
  fc.assert(
    fc.property(vaults, times, times, (vault, now, later) => {
      const until = nextChange({ ...vaultPhaseAt(vault, now), deadlines: vaultDeadlines(vault) }, now) ?? Infinity;
      fc.pre(now <= later && later < until);
      const { assetWindow, investmentWindow } = vault;
      const viewAt = (at: typeof now) => [
        vaultPhaseAt(vault, at),
        windowStatusAt(assetWindow, at),
        windowStatusAt(investmentWindow, at),
      ];
      expect(viewAt(later)).toEqual(viewAt(now));
    }),
    { numRuns: 2000 },
  );
});

test('what is overdue changes with each second, and so does an age', () => {
  expect(nextChange({ deadlines: [], overdueSeconds: 1 }, instant(5))).toBe(5);
  expect(nextChange({ deadlines: [], overdueSeconds: 0 }, instant(5))).toBeNull();
  expect(nextSecondAfter(instant(1_500), instant(3_499))).toBe(3_500);
  expect(nextSecondAfter(instant(1_500), instant(3_500))).toBe(4_500);
  expect(nextSecondAfter(instant(9_000), instant(3_500))).toBe(10_000);
});
