import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { longUnit, utxo, wallet } from '../../../test/chain/sample-context.ts';
import { byronUtxoHex, scriptUtxoHex, walletUtxoHex } from '../../../test/vaults/several-addresses.ts';
import { keyAddress } from '../scripts/address.ts';
import { readWalletUtxo } from './wallet-utxo.ts';

const owner = wallet(1);
const plain = utxo(owner.address, 5_000_000n);
const rich = utxo(owner.address, 45_000_000_000_000_000n, [
  [longUnit(1), 2n ** 62n + 1n],
  [longUnit(2), 1n],
]);

test('a UTxO is read as a wallet describes it, exact to the last unit', () => {
  for (const known of [plain, rich])
    expect(readWalletUtxo(walletUtxoHex(known), 0)).toEqual({ ...known, paymentKeyHash: owner.key.keyHash });
});

test('the output form that came before Babbage is read too', () => {
  const address = Buffer.from(`60${owner.key.keyHash}`, 'hex').toString('hex');
  const hex = `82825820${'ab'.repeat(32)}0282581d${address}821a004c4b40a1581c${'cd'.repeat(28)}a14141187b`;
  expect(readWalletUtxo(hex, 0)).toEqual({
    txHash: 'ab'.repeat(32),
    index: 2,
    address: keyAddress(owner.key.keyHash, 0),
    paymentKeyHash: owner.key.keyHash,
    lovelace: 5_000_000n,
    assets: new Map([[`${'cd'.repeat(28)}41`, 123n]]),
  });
});

test('an address without a payment key on this network, and other bytes, are refused', () => {
  expect(readWalletUtxo(walletUtxoHex(plain), 1)).toBe('wrong_network');
  const script = `82825820${'ab'.repeat(32)}0282581d70${owner.key.keyHash}1a004c4b40`;
  expect(readWalletUtxo(script, 0)).toBe('script');
  expect(readWalletUtxo(byronUtxoHex(plain), 0)).toBe('byron');
  expect(readWalletUtxo(scriptUtxoHex(plain), 0)).toBe('reference_script');
  for (const hex of ['', '00', '82', 'nonsense', 'ff'.repeat(40), `${walletUtxoHex(plain)}00`, '82'.repeat(5_000)])
    expect(readWalletUtxo(hex, 0)).toBe('not_cbor');
});

test('no bytes make the reader throw', () => {
  const known = Buffer.from(walletUtxoHex(rich), 'hex');
  const mutated = fc
    .array(fc.tuple(fc.nat(known.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
    .map((changes) => {
      const bytes = Buffer.from(known);
      for (const [at, byte] of changes) bytes[at] = byte;
      return bytes.toString('hex');
    });
  fc.assert(
    fc.property(mutated, (hex) => {
      const read = readWalletUtxo(hex, 0);
      expect(typeof read === 'string' || read.lovelace >= 0n).toBe(true);
    }),
  );
});
