import { expect, test } from '@jest/globals';
import { instant, secondsAfter } from '../../platform/units/time.ts';
import { extensionAfterSale } from './claims.ts';

const DAY = 86_400;
const now = instant(new Date('2026-11-23T00:00:00Z'));
const inSeconds = (seconds: number) => secondsAfter(now, seconds);

test('each sale leaves two weeks for its price, and all sales together move the deadline by 90 days at most', () => {
  let claims = { claimDeadline: inSeconds(90 * DAY), saleSeconds: 0, endedBecause: null };
  const sellAt = (days: number) => {
    const extension = extensionAfterSale(claims, inSeconds(days * DAY));
    claims = { ...claims, ...extension };
    return extension && (claims.claimDeadline - now) / (1000 * DAY);
  };
  // A sale that leaves more than two weeks anyhow moves nothing, and one moves it by what is missing.
  expect([sellAt(76), sellAt(80), sellAt(89)]).toEqual([null, 94, 103]);
  const bought = Array.from({ length: 12 }, (_, index) => sellAt(102 + 13 * index));
  expect(bought).toEqual([116, 129, 142, 155, 168, 180, ...Array<null>(6).fill(null)]);
});

test('time that passed after the deadline, until a late sale is final, is not counted', () => {
  const late = { claimDeadline: inSeconds(-20 * DAY), saleSeconds: 0, endedBecause: null };
  expect(extensionAfterSale(late, now)).toEqual({ claimDeadline: inSeconds(14 * DAY), saleSeconds: 14 * DAY });
  expect(extensionAfterSale({ ...late, endedBecause: 'claim_deadline' }, now)).toBeNull();
  expect(extensionAfterSale({ ...late, claimDeadline: null }, now)).toBeNull();
});
