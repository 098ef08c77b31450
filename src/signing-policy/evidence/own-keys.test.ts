import { expect, test } from '@jest/globals';
import { context, keys, ttlSlot } from '../../../test/chain/sample-context.ts';
import { mint } from '../../../test/signing-policy/settlement-samples.ts';
import { ft, vault } from '../../../test/signing-policy/samples.ts';
import { referenceOf } from '../../cardano/tokens/fractional-token.ts';
import { requireOwnKeys, isMintedBy } from './vault.ts';

/** A ledger with one transaction of the sample, whose vault has the keys of index 0. */
const ledgerWith = ({ hash, cbor }: typeof mint.built, at: string) => ({
  async *addressTransactions(address: string) {
    await Promise.resolve();
    if (address === at) yield { txHash: hash, blockHeight: ttlSlot };
  },
  transactionCbor: () => Promise.resolve(cbor),
});
const { networkId } = context;

test('a vault has no key by a rotation with which the tokens of another one were minted, whatever its rows say', async () => {
  const { hash } = mint.built;
  const ledger = ledgerWith(mint.built, vault.settlement);
  const request = (rotated: readonly number[]) => requireOwnKeys({ ledger, keys, networkId }, rotated);
  await expect(request([7, 0])).rejects.toMatchObject({
    code: 'TRANSACTION_NOT_JUSTIFIED',
    details: { reason: expect.stringContaining(hash) },
  });
  await expect(request([7, 8])).resolves.toBeUndefined();
  await expect(request([])).resolves.toBeUndefined();
});

test('the token of a vault is not the reference token of its mint, whatever its rows say', () => {
  const minted = { ttlSlot };
  expect(isMintedBy(vault, ft, minted)).toBe(true);
  expect(isMintedBy(vault, referenceOf(ft), minted)).toBe(false);
  expect(isMintedBy(vault, ft, { ttlSlot: ttlSlot + 1 })).toBe(false);
});
