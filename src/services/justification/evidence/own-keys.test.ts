import { expect, test } from '@jest/globals';
import { context, keys, openSlot, ttlSlot, wallet } from '../../../../test/chain/sample-context.ts';
import { mint } from '../../../../test/justification/settlement-samples.ts';
import { creation, ft, refund, vault } from '../../../../test/justification/samples.ts';
import { instant } from '../../../domain/units/instant.ts';
import { referenceOf } from '../../../chain/tokens/fractional-token.ts';
import { requireOwnCosigners, requireOwnKeys } from './own-keys.ts';
import { isMintedBy } from './vault-evidence.ts';

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
  const judged = (rotated: readonly number[]) => requireOwnKeys({ ledger, keys, networkId }, rotated);
  await expect(judged([7, 0])).rejects.toMatchObject({
    code: 'TRANSACTION_NOT_JUSTIFIED',
    details: { reason: expect.stringContaining(hash) },
  });
  await expect(judged([7, 8])).resolves.toBeUndefined();
  await expect(judged([])).resolves.toBeUndefined();
});

test('a vault whose NFT was minted to a custody without cosigners has none, whatever its rows say', async () => {
  const { built } = creation;
  const alone = { from: instant(0), fromSlot: openSlot };
  const forged = { ...vault, cosigners: { required: 1, keyHashes: [wallet(66).key.keyHash], alone } };
  const judged = (of: typeof forged | typeof vault, ledger = ledgerWith(built, vault.custody)) =>
    requireOwnCosigners({ ledger, networkId }, of);
  await expect(judged(forged)).rejects.toMatchObject({
    code: 'TRANSACTION_NOT_JUSTIFIED',
    details: { reason: expect.stringContaining(built.hash) },
  });
  // A gift that mints something else says nothing of the vault.
  const gift = ledgerWith({ ...built, cbor: refund.built.cbor }, vault.custody);
  await expect(judged(forged, gift)).resolves.toBeUndefined();
  await expect(judged(forged, ledgerWith(built, vault.claims))).resolves.toBeUndefined();
  await expect(judged(vault)).resolves.toBeUndefined();
});

test('the token of a vault is not the reference token of its mint, whatever its rows say', () => {
  const minted = { ttlSlot };
  expect(isMintedBy(vault, ft, minted)).toBe(true);
  expect(isMintedBy(vault, referenceOf(ft), minted)).toBe(false);
  expect(isMintedBy(vault, ft, { ttlSlot: ttlSlot + 1 })).toBe(false);
});
