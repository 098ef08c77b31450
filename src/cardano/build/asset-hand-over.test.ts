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
import { scriptAddress } from '../scripts/address.ts';
import { claimsScript } from '../scripts/vault-scripts.ts';
import { buildAssetHandOver } from './execution.ts';

const vaultKeyHash = vault.key.keyHash;
const claimsAddress = scriptAddress(claimsScript({ vaultKeyHash }), 0);
const [heir, other] = [wallet(1), wallet(2)];
const unit = (number: number) => ({ policyId: longUnit(number).slice(0, 56), assetName: longUnit(number).slice(56) });

/** Hands two assets over that lie with these amounts of ADA, the second with an asset that stays. */
const handOver = (...coins: readonly [bigint, bigint]) => handOverTo(claimsAddress, coins);
const handOverTo = (pot: string | null, coins: readonly [bigint, bigint]) =>
  buildAssetHandOver(context, {
    custody: { address: vault.custodyAddress, script: vault.custody, vaultKeyHash, cosigners: [], allCosign: true },
    utxos: [
      utxo(vault.custodyAddress, coins[0], [[longUnit(1), 1n]]),
      utxo(vault.custodyAddress, coins[1], [
        [longUnit(2), 1n],
        [longUnit(3), 1n],
      ]),
    ],
    assets: [
      { ...unit(1), quantity: 1n, address: heir.address },
      { ...unit(2), quantity: 1n, address: other.address },
    ],
    claimsAddress: pot,
    operator: operator(20_000_000n),
    ttlSlot,
  });

const coinOf = ({ outputs }: ReturnType<typeof handOver>, at: string) =>
  outputs.filter(({ address }) => address === at).reduce((sum, { lovelace }) => sum + lovelace, 0n);

test('each wallet gets its asset with the min-ADA, and the ADA that lay with them goes into the pot', () => {
  const built = handOver(6_000_000n, 7_000_000n);
  const places = [heir.address, other.address, vault.custodyAddress, claimsAddress];
  const [first = 0n, second = 0n, kept = 0n, shared = 0n] = places.map((place) => coinOf(built, place));
  expect(first + second + kept + shared).toBe(13_000_000n);
  expect([first, second, kept].every((coin) => coin < 1_500_000n)).toBe(true);
  expect(coinOf(built, keys.operator.address)).toBe(20_000_000n - built.fee);
  expect(verdict(built, [vault.key, keys.operator])).toBe('accepted');
});

test('without a pot the first wallet gets the ADA that lay with the assets', () => {
  const shared = handOver(6_000_000n, 7_000_000n);
  const built = handOverTo(null, [6_000_000n, 7_000_000n]);
  expect(coinOf(built, claimsAddress)).toBe(0n);
  expect(coinOf(built, heir.address)).toBe(coinOf(shared, heir.address) + coinOf(shared, claimsAddress));
  expect(verdict(built, [vault.key, keys.operator])).toBe('accepted');
});

test('what is too little for an output goes with the first asset, and what is missing comes from the operator', () => {
  const least = handOver(1_100_000n, 1_100_000n);
  expect(coinOf(least, claimsAddress)).toBe(0n);
  expect(coinOf(least, keys.operator.address)).toBeLessThan(20_000_000n - least.fee);
  const dust = handOver(2_000_000n, 2_500_000n);
  expect(coinOf(dust, claimsAddress)).toBe(0n);
  expect(coinOf(dust, keys.operator.address)).toBe(20_000_000n - dust.fee);
  expect(coinOf(dust, heir.address)).toBeGreaterThan(coinOf(dust, other.address));
});
