import { expect, test } from '@jest/globals';
import { apiService, newWallet } from '../vaults/api-service.ts';
import { executeBody } from './execution-requests.ts';
import {
  type AssetName,
  addCustodyNft,
  vaultWithCustody,
  addCustodyAda,
  createPassedProposal,
  setMarketPrice,
} from './vault-with-custody.ts';
import { errorResponse } from '../stack/error-response.ts';

const ADA = 1_000_000;

test('outputs of the mint and of the vault creation never fund an execution, as their tokens would be lost; the platform funds a staking the vault cannot pay, with its smallest output', async () => {
  await using service = await apiService();
  const pool = newWallet();
  const vault = await vaultWithCustody(service, { staking_addresses: [pool.address] });
  const villa = await addCustodyNft(service, vault, 1.5);
  for (const kind of ['mint', 'create_vault']) await addCustodyAda(service, vault, 5, kind);
  const freeze = (id: string, action: object) =>
    service.api.post(`/proposals/${id}/executions`, executeBody(vault.big, [vault.big, vault.middle], action));

  const inputsOfStaking = async (asset: AssetName) => {
    const terms = { staking_address: pool.address };
    const id = await createPassedProposal(service, vault, {
      action_type: 'stake_asset',
      affected_assets: [asset],
      terms,
    });
    expect(await freeze(id, { type: 'stake_asset', details: asset })).toMatchObject({ status: 201 });
    const rows = await service.sql.run<{ lovelace: string }>`select i ->> 'lovelace' as lovelace
        from chain_transactions t, jsonb_array_elements(t.inputs) i
        where t.kind = 'execute' and t.vault_id = ${vault.vaultId} order by t.created_at desc, t.id desc, (i ->> 'lovelace')::numeric limit 2`;
    return rows.map(({ lovelace }) => Number(lovelace));
  };
  const platforms = await service.sql.run<{ address: string }>`select operator_address as address from platform`;
  await service.ledger.faucet({ address: platforms[0]?.address ?? '', lovelace: `${7 * ADA}` });
  await service.ledger.mine();
  const [fromCustody = 0, fromPlatform = 0] = await inputsOfStaking(villa);
  expect(fromCustody).toBe(1.5 * ADA);
  // What it pays with is held until the execution phase ends, so that it is no large output.
  expect(fromPlatform).toBe(7 * ADA);

  const seller = await service.fundedWallet({ Boat: '1' });
  const boat = { policy_id: seller.policyId, asset_name: 'Boat' };
  await setMarketPrice(service, boat, 500);
  const purchase = { ...boat, price: 3 * ADA };
  const id = await createPassedProposal(service, vault, {
    action_type: 'buy_asset',
    affected_assets: [boat],
    terms: { price: 3 * ADA, seller_address: seller.address },
  });
  expect(await freeze(id, { type: 'buy_asset', details: purchase })).toMatchObject(
    errorResponse(400, 'INSUFFICIENT_FUNDS'),
  );
  await addCustodyAda(service, vault, 9, 'deliver');
  await addCustodyAda(service, vault, 8, 'deliver');
  expect(await freeze(id, { type: 'buy_asset', details: purchase })).toMatchObject({ status: 201 });
  expect(await inputsOfStaking(await addCustodyNft(service, vault, 1.5))).toEqual([1.5 * ADA, 8 * ADA]);
});

test('executions of a vault that wait for signatures hold three outputs of the platform at most, and the next wait for one of them', async () => {
  await using service = await apiService();
  const pool = newWallet();
  const vault = await vaultWithCustody(service, { staking_addresses: [pool.address] });
  const terms = { staking_address: pool.address };
  const freezes: (() => Promise<{ status: number }>)[] = [];
  for (let place = 0; place < 4; place += 1) {
    // The vault has nothing to pay with.
    const asset = await addCustodyNft(service, vault, 1.0625);
    const details = { action_type: 'stake_asset', affected_assets: [asset], terms };
    const id = await createPassedProposal(service, vault, details);
    const body = executeBody(vault.big, [vault.big, vault.middle], { type: 'stake_asset', details: asset });
    freezes.push(() => service.api.post(`/proposals/${id}/executions`, body));
  }
  const [first, second, third, fourth] = freezes;
  if (!first || !second || !third || !fourth) throw new Error('four are frozen');
  for (const freeze of [first, second, third]) expect(await freeze()).toMatchObject({ status: 201 });
  expect(await fourth()).toMatchObject(errorResponse(503, 'SERVICE_NOT_READY'));
  const rows = await service.sql.run<{ id: string }>`select id from executions where vault_id = ${vault.vaultId}`;
  expect(rows).toHaveLength(3);
  await service.sql.run`update executions set status = 'VOIDED', reason = 'a test' where id = ${rows[0]?.id}`;
  expect(await fourth()).toMatchObject({ status: 201 });
});
