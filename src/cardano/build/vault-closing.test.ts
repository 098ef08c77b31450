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
} from '../../../test/chain/sample-context.ts';
import { lovelace } from '../../platform/units/money.ts';
import { scriptAddress } from '../scripts/address.ts';
import { claimsScript } from '../scripts/vault-scripts.ts';
import { referenceDatum } from '../tokens/fractional-token.ts';
import { buildVaultClosing } from './termination.ts';

const vaultKeyHash = vault.key.keyHash;
const script = claimsScript({ vaultKeyHash });
const claimsAddress = scriptAddress(script, 0);
const ft = longUnit(1);

const close = (claimable: bigint, ...pot: readonly (readonly [bigint, bigint])[]) =>
  buildVaultClosing(context, {
    inputs: pot.map(([coin, tokens]) => ({
      utxo: utxo(claimsAddress, coin, tokens === 0n ? [] : [[ft, tokens]]),
      script,
    })),
    custodyAddress: vault.custodyAddress,
    claimsAddress,
    ftUnit: ft,
    claimable: lovelace(claimable),
    datum: referenceDatum({ name: 'A vault', ticker: 'VLT', decimals: 6, description: 'A test' }),
    vaultKeyHash,
    operator: operator(10_000_000n),
    ttlSlot,
  });

test('what can still be claimed stays in one output with the redeemed tokens, and the rest is the operator’s', () => {
  const built = close(8_000_000n, [5_000_000n, 7n], [5_000_000n, 0n], [5_000_000n, 3n]);
  const [pot, change] = built.outputs;
  expect(pot).toMatchObject({ address: claimsAddress, lovelace: 8_000_000n, assets: new Map([[ft, 10n]]) });
  expect(change?.lovelace).toBe(15_000_000n - 8_000_000n - built.fee);
  expect(verdict(built, [vault.key, keys.operator])).toBe('accepted');
});

test('nothing but tokens without value stays of an empty pot, and nothing of one without tokens', () => {
  expect(close(0n, [1_200_000n, 9n], [900_000n, 0n]).outputs.map(({ address }) => address)).toEqual([
    vault.custodyAddress,
    keys.operator.address,
  ]);
  expect(close(0n, [900_000n, 0n]).outputs.map(({ address }) => address)).toEqual([keys.operator.address]);
});
