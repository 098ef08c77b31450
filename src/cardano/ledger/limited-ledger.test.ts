import { expect, test } from '@jest/globals';
import { fakeLedger } from '../../../test/chain/fake-ledger.ts';
import { limitedLedger } from './limited-ledger.ts';

test('a ledger whose time is up is not asked any more, also in the middle of a long history', async () => {
  const entry = { tx_hash: 'ab', block_height: 1 };
  const { ledger, asked } = fakeLedger((path) => (path.endsWith('/transactions') ? Array(100).fill(entry) : null));
  let left = 250;
  const limited = limitedLedger(ledger, () => {
    left -= 1;
    if (left < 0) throw new Error('the time is up');
  });
  const readAll = async () => {
    for await (const _ of limited.addressTransactions('addr'));
  };
  await expect(readAll()).rejects.toThrow('the time is up');
  expect(asked).toHaveLength(3);
  for (const read of [() => limited.utxos('addr'), () => limited.block(1), () => limited.transaction('ab')])
    await expect(read()).rejects.toThrow('the time is up');
  expect(asked).toHaveLength(3);
});
