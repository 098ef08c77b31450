import { expect, test } from '@jest/globals';
import { lovelace } from '../platform/units/money.ts';
import { inLaneOrder } from './lane-funds.ts';

const output = (ada: bigint) => ({
  txHash: 'ab'.repeat(32),
  index: Number(ada),
  address: 'addr_test1',
  lovelace: lovelace(ada * 1_000_000n),
  assets: new Map<string, bigint>(),
});

test('a lane takes the smallest output that is large enough, so that vaults keep what they are created with', () => {
  const ordered = inLaneOrder([output(45_998n), output(100n), output(3n), output(250n), output(60n)]);
  expect(ordered.map(({ lovelace: coin }) => coin / 1_000_000n)).toEqual([100n, 250n, 45_998n, 60n, 3n]);
});
