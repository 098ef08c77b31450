import { expect, test } from '@jest/globals';
import {
  context,
  keys,
  longUnit,
  operator,
  ttlSlot,
  utxo,
  vault,
  verdict,
  wallet,
} from '../../../test/chain/sample-context.ts';
import { lovelace } from '../../platform/units/money.ts';
import { scriptAddress } from '../scripts/address.ts';
import { claimsScript } from '../scripts/vault-scripts.ts';
import { buildRemainderPayment } from './termination.ts';

const vaultKeyHash = vault.key.keyHash;
const script = claimsScript({ vaultKeyHash });
const claimsAddress = scriptAddress(script, 0);
const recipient = wallet(1).address;
const ft = longUnit(1);

const pay = (remainder: bigint, ...held: readonly bigint[]) =>
  buildRemainderPayment(context, {
    pot: held.map((coin, index) => ({ utxo: utxo(claimsAddress, coin, index === 0 ? [[ft, 7n]] : []), script })),
    claimsAddress,
    remainder: lovelace(remainder),
    recipient,
    vaultKeyHash,
    operator: operator(10_000_000n),
    ttlSlot,
  });

test.each([
  ['all of it', 5_000_000n, 5_000_000n],
  ['one lovelace as the least that an output can hold', 1n, 969_750n],
])('the recipient is paid %s, and the tokens stay', (_what, remainder, paid) => {
  const built = pay(remainder, 1_200_000n, remainder + 900_000n);
  expect(built.outputs.slice(0, 2)).toMatchObject([
    { address: recipient, lovelace: paid },
    { address: claimsAddress, assets: new Map([[ft, 7n]]) },
  ]);
  expect(verdict(built, [vault.key, keys.operator])).toBe('accepted');
});

test('the operator does not pay what the pot lacks', () => {
  expect(() => pay(5_000_000n, 4_999_999n)).toThrow('the pot holds 4999999 of a remainder of 5000000');
  expect(verdict(pay(5_000_000n, 5_000_000n), [vault.key, keys.operator])).toBe('accepted');
});
