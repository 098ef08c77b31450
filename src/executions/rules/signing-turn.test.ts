import { expect, test } from '@jest/globals';
import { instant, secondsAfter } from '../../platform/units/time.ts';
import { signingTurnEnd } from './cosigners.ts';

test('the turn of a wallet is a twelfth of the execution phase, from its first freeze on', () => {
  const startsAt = instant(1_000);
  const phase = { startsAt, endsAt: secondsAfter(startsAt, 24 * 3600) };
  const frozenAt = secondsAfter(startsAt, 600);
  expect(signingTurnEnd(frozenAt, phase)).toBe(secondsAfter(frozenAt, 2 * 3600));
});
