import { expect, test } from '@jest/globals';
import { TransactionWitnessSet } from '@emurgo/cardano-serialization-lib-nodejs';
import { context, depositOf, keys, payer, ttlSlot, utxo, verdict, wallet } from '../../../test/chain/sample-context.ts';
import { lovelace } from '../../platform/units/money.ts';
import { buildInvest } from '../build/deposits.ts';
import { mergeWitnesses, signTransaction, witnessesOf, witnessSetOf, verifyWitnesses } from './witnesses.ts';

const investor = wallet(1);
const invest = (amount: bigint) =>
  buildInvest(context, {
    investor: payer(investor, utxo(investor.address, 20_000_000n)),
    depositAddress: depositOf(investor, 0n).utxo.address,
    lovelace: lovelace(amount),
    deliveryDeposit: lovelace(2_000_000n),
    ttlSlot,
  });
const built = invest(5_000_000n);

test('a wallet’s witness set is verified, merged and accepted', () => {
  const witnesses = verifyWitnesses(built, witnessSetOf(built.cbor, [investor.key]));
  expect(witnesses).toEqual([
    { keyHash: investor.key.keyHash, publicKey: investor.key.publicKey, signature: investor.key.sign(built.hash) },
  ]);
  expect(verdict({ ...built, cbor: mergeWitnesses(built.cbor, witnesses) }, [])).toBe('accepted');
});

test('a witness set without the tag that newer wallets write is accepted', () => {
  const tagged = witnessSetOf(built.cbor, [investor.key]);
  expect(tagged.startsWith('a100d90102')).toBe(true);
  expect(verifyWitnesses(built, tagged.replace('a100d90102', 'a100'))).toHaveLength(1);
});

test('a forged signature and a signature of another transaction are invalid', () => {
  const forged = witnessSetOf(built.cbor, [{ ...investor.key, sign: (hash) => keys.operator.sign(hash) }]);
  const other = witnessSetOf(invest(6_000_000n).cbor, [investor.key]);
  for (const set of [forged, other]) {
    expect(() => verifyWitnesses(built, set)).toThrow(
      expect.objectContaining({
        code: 'INVALID_SIGNATURE',
        details: { keyHash: investor.key.keyHash, hash: built.hash },
      }),
    );
  }
});

test('a signature that is not needed is dropped, valid or not, and the needed ones are kept', () => {
  const forged = { ...keys.operator, sign: (hash: string) => investor.key.sign(hash) };
  for (const superfluous of [keys.operator, forged]) {
    const witnesses = verifyWitnesses(built, witnessSetOf(built.cbor, [superfluous, investor.key]));
    expect(witnesses.map(({ keyHash }) => keyHash)).toEqual([investor.key.keyHash]);
  }
});

test('a forged signature of a needed key is invalid, whatever else is valid', () => {
  const twoSigners = { ...built, requiredSigners: [investor.key.keyHash, keys.operator.keyHash] };
  const forged = { ...investor.key, sign: (hash: string) => keys.operator.sign(hash) };
  expect(() => verifyWitnesses(twoSigners, witnessSetOf(built.cbor, [keys.operator, forged]))).toThrow(
    expect.objectContaining({ code: 'INVALID_SIGNATURE' }),
  );
});

const [valid] = witnessesOf(built.cbor, [investor.key]);
/** What `cardano-cli conway transaction witness` writes as `cborHex`. */
const single = `8200825820${valid?.publicKey}5840${valid?.signature}`;

test('a single witness, as command lines write it, and the whole signed transaction are read like a witness set', () => {
  expect(verifyWitnesses(built, single)).toEqual([valid]);
  expect(verifyWitnesses(built, signTransaction(built.cbor, [investor.key, keys.operator]))).toEqual([valid]);
});

test('another signed transaction is refused and named, also when a signature of this one is in it', () => {
  const other = invest(6_000_000n);
  const refusal = expect.objectContaining({ code: 'WITNESS_FOR_ANOTHER_TRANSACTION', details: { signed: other.hash } });
  expect(() => verifyWitnesses(built, signTransaction(other.cbor, [investor.key]))).toThrow(refusal);
  expect(() => verifyWitnesses(built, mergeWitnesses(other.cbor, valid ? [valid] : []))).toThrow(refusal);
});

test('an unexpected signer key is named in the refusal', () => {
  expect(() => verifyWitnesses(built, witnessSetOf(built.cbor, [keys.operator]))).toThrow(
    expect.objectContaining({ code: 'WITNESS_NOT_REQUIRED' }),
  );
});

test.each([
  ['garbage', 'zz'],
  ['nothing', ''],
  ['other CBOR', '83010203'],
  ['an empty witness set', TransactionWitnessSet.new().to_hex()],
  ['a cut-off set', witnessSetOf(built.cbor, [investor.key]).slice(0, -8)],
  ['an unsigned transaction', built.cbor],
  ['a witness of a Byron key', single.replace(/^8200/, '8201')],
  ['a witness of an unknown kind', single.replace(/^8200/, '8202')],
  ['a transaction without its witnesses', '84a0'],
  ['a transaction whose witnesses are a list', '84a080f5f6'],
])('%s is refused with its field named', (_what, set) => {
  expect(() => verifyWitnesses(built, set)).toThrow(expect.objectContaining({ code: 'INVALID_CBOR' }));
});
