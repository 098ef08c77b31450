import { Transaction, TransactionBody, TransactionWitnessSet } from '@emurgo/cardano-serialization-lib-nodejs';
import { expect, test } from '@jest/globals';
import { context, openSlot, operator, ttlSlot, vaultTerms, wallet } from '../../../test/chain/sample-context.ts';
import { policyKeyHash, refund, terms, vault } from '../../../test/signing-policy/samples.ts';
import { buildVaultCreation } from '../../cardano/build/settlement.ts';
import { creationLabel } from '../../cardano/tokens/vault-nft.ts';
import type { BuiltTransaction } from '../../cardano/transaction.ts';
import { instant } from '../../platform/units/time.ts';
import { decodeTransaction } from '../decoder.ts';
import { vaultAddressesOf } from '../addresses.ts';
import { findCreation } from './earlier-mint.ts';
import { confirmedCreation } from './mint.ts';

type Made = Pick<BuiltTransaction, 'hash' | 'cbor' | 'outputs'>;

/** A ledger with transactions under the label of the vault's creation, oldest first, and others beside them. */
function ledgerWith({
  labelled = [],
  others = [],
}: {
  readonly labelled?: readonly Made[];
  readonly others?: readonly Made[];
}) {
  const all = [...labelled, ...others];
  return {
    async *metadataOf(label: number) {
      await Promise.resolve();
      for (const { hash: txHash } of label === creationLabel(policyKeyHash) ? labelled : [])
        yield { txHash, metadata: {} };
    },
    async *addressTransactions(at: string) {
      await Promise.resolve();
      for (const { hash: txHash, outputs } of all)
        if (outputs.some(({ address }) => address === at)) yield { txHash, blockHeight: 1 };
    },
    transactionCbor: (hash: string) => Promise.resolve(all.find((one) => one.hash === hash)?.cbor ?? null),
  };
}

const cosigners = (number: number, fromSlot = openSlot) => {
  const alone = { from: instant(0), fromSlot };
  return { required: 1, keyHashes: [wallet(number).key.keyHash], alone };
};
/** The vault with cosigners, and as a thief's row names others. */
const [honest, forged] = [
  vaultAddressesOf({ ...vault, cosigners: cosigners(1) }, 0),
  vaultAddressesOf({ ...vault, cosigners: cosigners(66) }, 0),
];
/** Policies end with their transactions, so that each creation has its own. */
const createdAt = (contractAddress: string, ttl = ttlSlot) =>
  buildVaultCreation(
    context,
    {
      id: 'vault-1',
      name: 'Art',
      terms: { ...vaultTerms, type: 'PUBLIC', valuationType: 'LBE' },
      contractAddress,
      policyKeyHash,
    },
    { operator: operator(30_000_000n), image: 'ipfs://picture', ttlSlot: ttl },
  );
const [first, second] = [createdAt(honest.custody), createdAt(forged.custody, ttlSlot + 1)];
const found = (of: typeof vault, shown: Parameters<typeof ledgerWith>[0]) =>
  confirmedCreation({ ledger: ledgerWith(shown) }, of);
const unavailable = { code: 'LEDGER_UNAVAILABLE' };

/** As nobody creates vaults: it names no terms. */
function withoutMetadata({ cbor, outputs }: Made): Made {
  const body = Transaction.from_hex(cbor).body();
  const plain = TransactionBody.new_tx_body(body.inputs(), body.outputs(), body.fee());
  const [ttl, mint] = [body.ttl_bignum(), body.mint()];
  if (!ttl || !mint) throw new Error('it mints nothing');
  plain.set_ttl(ttl);
  plain.set_mint(mint);
  const made = Transaction.new(plain, TransactionWitnessSet.new()).to_hex();
  return { hash: decodeTransaction(made).hash, cbor: made, outputs };
}

test('the first creation of a vault on the ledger counts, whatever cosigners its row names', async () => {
  const labelled = [{ ...refund.built }, first, second];
  for (const one of [honest, forged])
    expect(await found(one, { labelled })).toEqual({ custody: honest.custody, terms });
  expect(await findCreation(ledgerWith({ labelled }), policyKeyHash)).toBe(first.hash);
  expect(await findCreation(ledgerWith({ others: [first] }), policyKeyHash)).toBeNull();
});

test('a creation that commits to no terms is none, wherever its NFT went', async () => {
  const silent = withoutMetadata(first);
  await expect(found(honest, { others: [silent] })).rejects.toMatchObject(unavailable);
  // Somebody lists it under the label.
  expect(await found(honest, { labelled: [silent] })).toEqual({ custody: honest.custody, terms: null });
});

test('a creation that the ledger does not list yet is asked for again', async () => {
  await expect(found(honest, {})).rejects.toMatchObject(unavailable);
  await expect(found(honest, { others: [first] })).rejects.toMatchObject(unavailable);
});
