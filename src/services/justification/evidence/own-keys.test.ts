import { expect, test } from '@jest/globals';
import { context, keys, ttlSlot } from '../../../../test/chain/sample-context.ts';
import { mint } from '../../../../test/justification/settlement-samples.ts';
import { vault } from '../../../../test/justification/samples.ts';
import { requireOwnKeys } from './own-keys.ts';

const { hash, cbor } = mint.built;
/** A ledger with the mint of the sample, whose vault has the keys of index 0. */
const ledger = {
  async *addressTransactions(address: string) {
    await Promise.resolve();
    if (address === vault.settlement) yield { txHash: hash, blockHeight: ttlSlot };
  },
  transactionCbor: () => Promise.resolve(cbor),
};

test('a vault has no key by a rotation with which the tokens of another one were minted, whatever its rows say', async () => {
  const judged = (rotated: readonly number[]) =>
    requireOwnKeys({ ledger, keys, networkId: context.networkId }, rotated);
  await expect(judged([7, 0])).rejects.toMatchObject({
    code: 'TRANSACTION_NOT_JUSTIFIED',
    details: { reason: expect.stringContaining(hash) },
  });
  await expect(judged([7, 8])).resolves.toBeUndefined();
  await expect(judged([])).resolves.toBeUndefined();
});
