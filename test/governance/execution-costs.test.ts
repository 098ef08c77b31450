import { expect, test } from '@jest/globals';
import { apiService, newWallet } from '../vault/api-service.ts';
import { executeBody } from './executions.ts';
import { held, holdingVault, kept, passed, priced } from './holding-vault.ts';
import { refusal } from './locked-vault.ts';

const ADA = 1_000_000;

test('what carries the token that says the decimals, which would be lost, or the NFT of the vault pays for nothing; staking needs no ADA', async () => {
  await using service = await apiService();
  const pool = newWallet();
  const vault = await holdingVault(service, { staking_addresses: [pool.address] });
  const villa = await held(service, vault, 1.5);
  for (const kind of ['mint', 'create_vault']) await kept(service, vault, 5, kind);
  const freeze = (id: string, action: object) =>
    service.api.post(`/proposals/${id}/executions`, executeBody(vault.big, [vault.big, vault.middle], action));

  const terms = { staking_address: pool.address };
  const staking = await passed(service, vault, { action_type: 'stake_asset', affected_assets: [villa], terms });
  expect(await freeze(staking, { type: 'stake_asset', details: villa })).toMatchObject({ status: 201 });
  const { rows } = await service.sql.query<{ custody: string }>(
    `select sum((i ->> 'lovelace')::numeric) as custody from chain_transactions t, jsonb_array_elements(t.inputs) i
      where t.kind = 'execute' and t.vault_id = $1 and i ->> 'address' = $2`,
    [vault.vaultId, vault.custody],
  );
  expect(rows).toEqual([{ custody: String(1.5 * ADA) }]);

  const seller = await service.fundedWallet({ Boat: '1' });
  const boat = { policy_id: seller.policyId, asset_name: 'Boat' };
  await priced(service, boat, 500);
  const buying = { ...boat, price: 3 * ADA };
  const id = await passed(service, vault, {
    action_type: 'buy_asset',
    affected_assets: [boat],
    terms: { price: 3 * ADA, seller_address: seller.address },
  });
  expect(await freeze(id, { type: 'buy_asset', details: buying })).toMatchObject(refusal(400, 'INSUFFICIENT_FUNDS'));
  await kept(service, vault, 9, 'deliver');
  expect(await freeze(id, { type: 'buy_asset', details: buying })).toMatchObject({ status: 201 });
});
