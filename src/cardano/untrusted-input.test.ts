import { expect, test } from '@jest/globals';
import { Address, FixedTransaction } from '@emurgo/cardano-serialization-lib-nodejs';
import { bech32 } from '@scure/base';
import fc from 'fast-check';
import { context, depositOf, payer, ttlSlot, utxo, wallet } from '../../test/chain/sample-context.ts';
import { ServiceError } from '../platform/errors.ts';
import { lovelace } from '../platform/units/money.ts';
import { buildInvest } from './build/deposits.ts';
import { checkSerializationLibrary } from './canary.ts';
import { readTransactionBody } from './cbor/transaction-body.ts';
import { witnessSetOf, signTransaction, witnessesOf, verifyWitnesses } from './keys/witnesses.ts';
import { readBech32, readPaymentAddress, readWalletAddress } from './scripts/address.ts';

const investor = wallet(1);
const built = buildInvest(context, {
  investor: payer(investor, utxo(investor.address, 20_000_000n)),
  depositAddress: depositOf(investor, 0n).utxo.address,
  lovelace: lovelace(5_000_000n),
  deliveryDeposit: lovelace(2_000_000n),
  ttlSlot,
});
const witnessSet = witnessSetOf(built.cbor, [investor.key]);
const signed = signTransaction(built.cbor, [investor.key]);
const [witness] = witnessesOf(built.cbor, [investor.key]);
const single = `8200825820${witness?.publicKey}5840${witness?.signature}`;
const bech32Letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'.match(/./g) ?? [];
const hexDigits = '0123456789abcdef'.match(/./g) ?? [];
/** Each made the serialization library trap. */
const trapping = { address: 'addr_test1stvpskhlllll7kzmhyc', witnessSet: 'a1009ff4' };

const hexMutation = (hex: string) =>
  fc
    .array(fc.tuple(fc.nat(hex.length - 1), fc.constantFrom(...hexDigits), fc.constantFrom(0, 1, 2)), {
      minLength: 1,
      maxLength: 4,
    })
    .map((changes) =>
      changes.reduce((text, [at, digit, removed]) => text.slice(0, at) + digit + text.slice(at + removed), hex),
    );
const addressMutation = fc
  .array(fc.tuple(fc.nat(investor.address.length - 1), fc.constantFrom(...bech32Letters)), { maxLength: 3 })
  .map((changes) =>
    changes.reduce((text, [at, letter]) => text.slice(0, at) + letter + text.slice(at + 1), investor.address),
  );
/** Random bytes with the checksum of an address, which random letters never have. */
const randomAddress = fc
  .tuple(fc.constantFrom('addr', 'addr_test', 'stake', 'stake_test'), fc.uint8Array({ minLength: 1, maxLength: 60 }))
  .map(([prefix, bytes]) => bech32.encode(prefix, bech32.toWords(bytes), 200));
const randomHex = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('hex'));

function refusalOf(hex: string): string | undefined {
  try {
    verifyWitnesses(built, hex);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

function expectUnharmed(): void {
  checkSerializationLibrary();
  expect(readWalletAddress(investor.address, 0)).toEqual({
    address: investor.address,
    paymentKeyHash: investor.key.keyHash,
  });
  expect(verifyWitnesses(built, witnessSet)).toHaveLength(1);
  expect(readTransactionBody(built.cbor)?.hash).toBe(built.hash);
}

test('addresses that made the serialization library trap are refused, a thousand times over', () => {
  for (let time = 0; time < 1_000; time += 1) expect(readWalletAddress(trapping.address, 0)).toBe('malformed');
  expectUnharmed();
});

test('a witness set that made the serialization library trap is refused, a thousand times over', () => {
  for (let time = 0; time < 1_000; time += 1) {
    expect(() => verifyWitnesses(built, trapping.witnessSet)).toThrow(
      expect.objectContaining({ code: 'INVALID_CBOR' }),
    );
  }
  expectUnharmed();
});

test('100,000 random and mutated addresses, witness sets and transactions change no later result', () => {
  const refusedWitnesses = ['WITNESS_FOR_ANOTHER_TRANSACTION', 'WITNESS_NOT_REQUIRED', 'INVALID_SIGNATURE'];
  const refusals = [undefined, 'INVALID_CBOR', ...refusedWitnesses];
  fc.assert(
    fc.property(fc.oneof(fc.string({ maxLength: 130 }), addressMutation, randomAddress), (text) => {
      readWalletAddress(text, 0);
      const address = readPaymentAddress(text, 0);
      // What is accepted is later written to outputs by the serialization library.
      expect(address && Address.from_bech32(address).to_bech32()).toBe(address);
    }),
    { numRuns: 40_000 },
  );
  fc.assert(
    fc.property(fc.oneof(randomHex, ...[witnessSet, signed, single].map(hexMutation)), (hex) => {
      expect(refusals).toContain(refusalOf(hex));
    }),
    { numRuns: 40_000 },
  );
  fc.assert(
    fc.property(fc.oneof(randomHex, hexMutation(built.cbor)), (hex) => {
      readTransactionBody(hex);
    }),
    { numRuns: 20_000 },
  );
  expectUnharmed();
});

test('addresses of every type are read as the serialization library writes them', () => {
  const bytesOf = (type: number, networkId: number, credentials: number) =>
    fc
      .uint8Array({ minLength: 28 * credentials, maxLength: 28 * credentials })
      .map((body) => Buffer.from([(type << 4) | networkId, ...body]));
  const shapes = [0, 1, 2, 3].map((type) => ({ type, credentials: 2 }));
  const single = [6, 7, 14, 15].map((type) => ({ type, credentials: 1 }));
  const address = fc
    .tuple(fc.constantFrom(...shapes, ...single), fc.constantFrom(0, 1))
    .chain(([{ type, credentials }, networkId]) => bytesOf(type, networkId, credentials));
  fc.assert(
    fc.property(address, (bytes) => {
      const text = Address.from_bytes(bytes).to_bech32();
      expect(readBech32(text)).toEqual({ address: text, bytes: Uint8Array.from(bytes) });
      expect(readBech32(text.toUpperCase())?.address).toBe(text);
    }),
  );
});

test('a transaction is read as the serialization library reads it', () => {
  const read = readTransactionBody(built.cbor);
  expect(read?.hash).toBe(FixedTransaction.from_hex(built.cbor).transaction_hash().to_hex());
  expect(read?.requiredSigners).toEqual([]);
  expect(readTransactionBody(witnessSet)).toBeUndefined();
});
