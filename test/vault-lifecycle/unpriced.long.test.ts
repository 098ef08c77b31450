import { expect, test } from '@jest/globals';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { contribute, fundWallet, holdings, invest, person, waitForTransaction } from './participants.ts';
import { advance, createVault, readVault, waitForVaultStatus } from './vault-requests.ts';

const DAY = 86_400;
const WEEK = 7 * DAY;
const ADA = 1_000_000;

const stackOfFile = fileStack();

test('a price with other decimals than the asset was added with holds the settlement and is not used', async () => {
  const stack = stackOfFile();
  const [owner, investor] = [person(49), person(50)];
  const vaultId = await createVault(stack, owner.address);
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Barrel: 1 } });
  await fundWallet(stack, investor, { ada: 500 });
  const price = { policyId, lovelace: String(200 * ADA) };
  await stack.ledger.setPrice(price);
  await contribute(stack, vaultId, owner, { policyId, name: 'Barrel' });
  await invest(stack, vaultId, investor, 300 * ADA);
  await stack.ledger.setPrice({ policyId, lovelace: String(200_000 * ADA), decimals: 6 });

  await advance(stack, WEEK + DAY);
  expect(await valuationOf(stack, vaultId)).toBe(String(180 * ADA));
  const held = await readVault(stack, vaultId);
  expect(held.holds.map(({ reason }) => reason)).toEqual(['price_unavailable']);

  expect((await stack.root.post('/dev/prices', { ...price, decimals: 0 })).status).toBe(200);
  await waitForVaultStatus(stack, vaultId, 'LOCKED');
  expect(await plannedValue(stack, vaultId)).toBe(String(180 * ADA));
});

test('an asset that has no price a day before the deadline goes back, and the vault settles for all others', async () => {
  const stack = stackOfFile();
  const [alice, mallory, investor] = [person(171), person(172), person(173)];
  const vaultId = await createVault(stack, alice.address, { asset: { valuation_type: 'LBE' } });
  const silver = await fundWallet(stack, alice, { ada: 100, assets: { Bullion: 1000 } });
  const fools = await fundWallet(stack, mallory, { ada: 100, assets: { Pyrite: 1000 } });
  await fundWallet(stack, investor, { ada: 500 });
  for (const policyId of [silver, fools]) await stack.ledger.setPrice({ policyId, lovelace: String(ADA) });
  const given = [
    await contribute(stack, vaultId, alice, { policyId: silver, name: 'Bullion', quantity: 500 }),
    await contribute(stack, vaultId, mallory, { policyId: fools, name: 'Pyrite', quantity: 50 }),
    await invest(stack, vaultId, investor, 300 * ADA),
  ];
  for (const { hash } of given) await waitForTransaction(stack, hash, ['confirmed', 'final']);
  // From now on its price is for another whole token, and of no use.
  const assetNameHex = Buffer.from('Pyrite').toString('hex');
  await stack.ledger.setPrice({ policyId: fools, assetNameHex, lovelace: String(ADA), decimals: 3 });
  await advance(stack, WEEK + DAY);
  expect(await readVault(stack, vaultId)).toMatchObject({ holds: [{ reason: 'price_unavailable' }] });

  await advance(stack, 5 * DAY + 3600);
  const settled = await waitForVaultStatus(stack, vaultId, 'LOCKED');
  const held = await holdings(stack, mallory.address);
  expect(held.get(fools + assetNameHex)).toBe(1000n);
  expect(held.get(settled.fractionalization.tokenAddress)).toBeUndefined();
  expect((await holdings(stack, alice.address)).get(settled.fractionalization.tokenAddress)).toBe(475_000_000_000n);
});

async function valuationOf({ api }: TestStack, vaultId: string): Promise<string> {
  const { body } = await api.get<{ data: { valuation: { total: string } } }>(`/vaults/${vaultId}/valuation`);
  return body.data.valuation.total;
}

async function plannedValue({ sql }: TestStack, vaultId: string): Promise<string | undefined> {
  const rows = await sql.run<{ value: string }>`select distribution ->> 'value' as value from settlements
      where vault_id = ${vaultId}`;
  return rows[0]?.value;
}
