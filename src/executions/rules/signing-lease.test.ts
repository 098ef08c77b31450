import { expect, test } from '@jest/globals';
import { instant, secondsAfter } from '../../platform/units/time.ts';
import { signingLeaseEnd } from './cosigners.ts';

test('the signing lease of a wallet is a twelfth of the execution phase, from its first freeze on', () => {
  const startsAt = instant(1_000);
  const phase = { startsAt, endsAt: secondsAfter(startsAt, 24 * 3600) };
  const frozenAt = secondsAfter(startsAt, 600);
  expect(signingLeaseEnd(frozenAt, phase)).toBe(secondsAfter(frozenAt, 2 * 3600));
});
