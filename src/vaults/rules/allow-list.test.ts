import { expect, test } from '@jest/globals';
import { type AllowListChange, changedAllowList, maxAllowListEntries } from './access.ts';

const change = (operation: AllowListChange['operation'], ...entries: string[]): AllowListChange => {
  return { type: 'INVESTOR', operation, entries };
};

test('an entry is added once, and removing one that is absent changes nothing', () => {
  expect(changedAllowList(['a'], change('ADD', 'b', 'a', 'b'))).toEqual(['a', 'b']);
  expect(changedAllowList(['a', 'b'], change('REMOVE', 'a', 'c'))).toEqual(['b']);
});

test('a list never grows beyond its maximum, however it is filled', () => {
  const full = Array.from({ length: maxAllowListEntries.INVESTOR }, (_, index) => String(index));
  expect(changedAllowList(full, change('ADD', '0', '999'))).toHaveLength(full.length);
  expect(() => changedAllowList(full, change('ADD', 'one more'))).toThrow(
    'Some fields of the request are invalid. See `details.errors`.',
  );
});
