import { expect, test } from '@jest/globals';
import { TransactionWitnessSet } from '@emurgo/cardano-serialization-lib-nodejs';
import { context, depositOf, keys, payer, ttlSlot, utxo, verdict, wallet } from '../../../test/chain/sample-context.ts';
import { lovelace } from '../../domain/units/money.ts';
import { buildInvest } from '../build/invest.ts';
import { mergeWitnesses } from './witnesses.ts';
import { witnessSetOf } from './witness-set.ts';
import { verifyWitnesses } from './verify-witnesses.ts';

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
  ['a whole transaction', built.cbor],
])('%s is refused with its field named', (_what, set) => {
  expect(() => verifyWitnesses(built, set)).toThrow(expect.objectContaining({ code: 'INVALID_CBOR' }));
});
