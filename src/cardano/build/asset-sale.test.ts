import { expect, test } from '@jest/globals';
import { context, longUnit, payer, ttlSlot, utxo, vault, verdict, wallet } from '../../../test/chain/sample-context.ts';
import { lovelace } from '../../platform/units/money.ts';
import { scriptAddress } from '../scripts/address.ts';
import { claimsScript } from '../scripts/vault-scripts.ts';
import type { Unit } from '../transaction.ts';
import { buildAssetSale } from './execution.ts';

const buyer = wallet(1);
const art = longUnit(1);
const vaultKeyHash = vault.key.keyHash;
const proceedsAddress = scriptAddress(claimsScript({ vaultKeyHash }), 0);

test('a sale of a vault that ends brings its price into the pot, whatever else lay with the asset', () => {
  const price = 30_000_000n;
  const others = Array.from({ length: 9 }, (_, index): [Unit, bigint] => [longUnit(10 + index), 1n]);
  const built = buildAssetSale(context, {
    custody: { address: vault.custodyAddress, script: vault.custody, vaultKeyHash, cosigners: [], allCosign: true },
    utxos: [utxo(vault.custodyAddress, 4_500_000n, [[art, 1n], ...others])],
    assets: new Map([[art, 1n]]),
    price: lovelace(price),
    buyer: payer(buyer, utxo(buyer.address, 50_000_000n)),
    proceedsAddress,
    ttlSlot,
  });
  const [proceeds, bought, kept] = [proceedsAddress, buyer.address, vault.custodyAddress].map((address) =>
    built.outputs.filter((output) => output.address === address),
  );
  expect(proceeds?.[0]?.lovelace).toBeGreaterThanOrEqual(price);
  expect(bought?.[0]?.assets).toEqual(new Map([[art, 1n]]));
  expect(kept?.map(({ assets }) => assets.size)).toEqual([9]);
  expect(verdict(built, [vault.key, buyer.key])).toBe('accepted');
});
