import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type VaultPhaseSnapshot, vaultDeadlines, vaultPhaseAt } from '../../vaults/rules/phase.ts';
import { windowStatusAt, windowStatuses } from '../../vaults/rules/window.ts';
import { instant } from './instant.ts';
import { nextChange } from './next-change.ts';

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

test('what is overdue changes with each second', () => {
  expect(nextChange({ deadlines: [], overdueSeconds: 1 }, instant(5))).toBe(5);
  expect(nextChange({ deadlines: [], overdueSeconds: 0 }, instant(5))).toBeNull();
});
