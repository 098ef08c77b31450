import { expect, test } from '@jest/globals';
import { instant, isoText } from '../../platform/units/time.ts';
import { basisPoints } from '../../platform/units/money.ts';
import { cosignersAloneFrom } from './vault.ts';

const settlesBy = instant(new Date('2027-01-01T00:00:00Z'));
const fdp = basisPoints(0n);

test('cosigners are alone 365 days after the programmed end, counted from T', () => {
  const duration = 90 * 86_400;
  expect(isoText(cosignersAloneFrom(settlesBy, { type: 'PROGRAMMED', fdp, duration }))).toBe(
    '2028-03-31T00:00:00.000Z',
  );
});

test('a vault without a programmed end counts as living five years', () => {
  const from = cosignersAloneFrom(settlesBy, { type: 'DAO', fdp });
  expect((from - settlesBy) / 86_400_000).toBe(6 * 365);
});
