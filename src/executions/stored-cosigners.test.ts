import { expect, test } from '@jest/globals';
import { instant } from '../platform/units/time.ts';
import { readCosigners, storedCosigners } from '../platform/database/stored-json.ts';

const cosigners = { required: 2, keyHashes: ['aa', 'bb'] };

test('the date and its slot read as they were stored', () => {
  const dated = { ...cosigners, alone: { from: instant(1_900_000_000_123), fromSlot: 987_654_321 } };
  const stored: unknown = JSON.parse(JSON.stringify(storedCosigners(dated)));
  expect(readCosigners(stored as ReturnType<typeof storedCosigners>)).toEqual(dated);
});
