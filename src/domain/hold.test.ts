import { expect, test } from '@jest/globals';
import { raiseHold, releaseHold } from './hold.ts';
import { instant } from './instant.ts';

test('a hold that is raised again keeps its beginning, and is gone once released', () => {
  const first = raiseHold([], 'stale_price', instant(1));
  const again = raiseHold(raiseHold(first, 'stale_price', instant(2)), 'ledger_unreachable', instant(3));
  expect(again).toEqual([
    { reason: 'stale_price', since: 1 },
    { reason: 'ledger_unreachable', since: 3 },
  ]);
  expect(releaseHold(again, 'stale_price')).toEqual([{ reason: 'ledger_unreachable', since: 3 }]);
});
