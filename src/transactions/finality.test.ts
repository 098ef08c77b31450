import { expect, test } from '@jest/globals';
import { confirmationOf, type Finality } from './rules.ts';

const levels = (confirmationDepth: number): Finality[] =>
  Array.from({ length: confirmationDepth }, (_, above) => {
    const state = above + 1 < confirmationDepth ? 'confirmed' : 'final';
    const { confirmations, finality } = confirmationOf(
      { state, blockHeight: 100 },
      { height: 100 + above, confirmationDepth },
    );
    expect(confirmations).toBe(above + 1);
    return finality;
  });
const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);

test('on a public network 15 blocks lead through low, medium and high to final, in the embedded one 3 blocks', () => {
  expect(levels(15)).toEqual([...times(5, 'low'), ...times(5, 'medium'), ...times(4, 'high'), 'final']);
  expect(levels(3)).toEqual(['low', 'medium', 'final']);
});

test('what is in no block has no confirmation, whatever is known of the ledger', () => {
  const tip = { height: 100, confirmationDepth: 15 };
  for (const state of ['awaiting_signatures', 'pending', 'submitted', 'expired', 'failed'] as const)
    expect(confirmationOf({ state, blockHeight: null }, tip)).toEqual({ confirmations: 0, finality: 'none' });
  for (const unfollowed of [null, { ...tip, height: null }])
    expect(confirmationOf({ state: 'confirmed', blockHeight: 5 }, unfollowed).finality).toBe('none');
});

test('what was final stays final when a deeper finality is configured later', () => {
  const tip = { height: 104, confirmationDepth: 15 };
  expect(confirmationOf({ state: 'final', blockHeight: 100 }, tip)).toEqual({ confirmations: 5, finality: 'final' });
});
