import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { execute, executeBody } from './execution-requests.ts';
import {
  type AssetName,
  addCustodyNft,
  type VaultWithCustody,
  vaultWithCustody,
  addCustodyAda,
  recordHeldAsset,
  mintNft,
  createPassedProposal,
  setMarketPrice,
  createSignedPurchase,
} from './vault-with-custody.ts';
import { errorResponse } from '../stack/error-response.ts';

const ADA = 1_000_000;
const MAINNET = 'addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8';

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** Expects both freezing and executing, with the two large stakers as cosigners, to be refused with this code. */
async function expectRefused(
  id: string,
  { big, middle }: VaultWithCustody,
  action: object,
  status: number,
  code: string,
) {
  const body = executeBody(big, [big, middle], action);
  expect(await service.api.post(`/proposals/${id}/executions`, body)).toMatchObject(errorResponse(status, code));
  expect(await execute(service, id, body)).toMatchObject(errorResponse(status, code));
}

const aDayAgo = () => new Date(Date.now() - 25 * 3_600_000).toISOString();

test('a sale whose price the vote left open is refused below the market price and below the valuation of the vault', async () => {
  const vault = await vaultWithCustody(service);
  const villa = await addCustodyNft(service, vault);
  const id = await createPassedProposal(service, vault, { action_type: 'sell_asset', affected_assets: [villa] });
  const buyer = await service.fundedWallet({}, String(9000 * ADA));
  const sale = (price: number, address = buyer.address) => {
    return { type: 'sell_asset', details: { ...villa, price: price * ADA, buyer_address: address } };
  };
  await expectRefused(id, vault, { type: 'sell_asset', details: villa }, 400, 'INVALID_REQUEST');
  await expectRefused(id, vault, sale(499), 400, 'PRICE_BELOW_VALUATION');
  await setMarketPrice(service, villa, 1000);
  await expectRefused(id, vault, sale(999), 400, 'PRICE_BELOW_VALUATION');
  await setMarketPrice(service, villa, 100);
  await expectRefused(id, vault, sale(449), 400, 'PRICE_BELOW_VALUATION');
  await service.ledger.setPrice({
    policyId: villa.policy_id,
    assetNameHex: Buffer.from(villa.asset_name).toString('hex'),
    lovelace: String(500 * ADA),
    decimals: 1,
  });
  await expectRefused(id, vault, sale(500), 500, 'PRICE_UNAVAILABLE');
  await setMarketPrice(service, villa, 500, aDayAgo());
  await expectRefused(id, vault, sale(500), 500, 'PRICE_UNAVAILABLE');
  await setMarketPrice(service, villa, 500);

  await expectRefused(id, vault, sale(500, MAINNET), 400, 'WRONG_NETWORK');
  await expectRefused(id, vault, sale(500, vault.custody), 400, 'INVALID_ADDRESS');
  await expectRefused(id, vault, sale(500, newWallet().address), 400, 'INSUFFICIENT_FUNDS');
  await expectRefused(id, vault, { ...sale(500), type: 'liquidate' }, 400, 'ACTION_DIFFERS_FROM_APPROVED');
  const exact = executeBody(vault.big, [vault.big, vault.middle], sale(500));
  expect(await service.api.post(`/proposals/${id}/executions`, exact)).toMatchObject({ status: 201 });
});

test('a refused execution names the field, the approved value and the missing signers', async () => {
  const vault = await vaultWithCustody(service);
  const { big, middle, small } = vault;
  const [villa, boat] = [await addCustodyNft(service, vault), await addCustodyNft(service, vault)];
  const open = await createPassedProposal(service, vault, { action_type: 'sell_asset', affected_assets: [boat] });
  const terms = { price: 900 * ADA };
  const id = await createPassedProposal(service, vault, { action_type: 'sell_asset', affected_assets: [villa], terms });
  const refusedForField = async (proposalId: string, action: object, code: string, message: string, field: string) => {
    const body = executeBody(big, [big, middle], action);
    const expected = { error: { code, details: { errors: [{ field, message }] } } };
    expect(await service.api.post(`/proposals/${proposalId}/executions`, body)).toMatchObject({
      status: 400,
      body: expected,
    });
  };
  const nameTheAsset = 'Name the asset with policy_id and asset_name, or several with affected_assets';
  const { policy_id } = villa;
  for (const action of [{ type: 'sell_asset' }, { type: 'sell_asset', details: { policy_id, price: 900 * ADA } }]) {
    await refusedForField(id, action, 'INVALID_REQUEST', nameTheAsset, 'action.details');
  }
  const unpriced = { type: 'sell_asset', details: villa };
  const [differs, price] = ['ACTION_DIFFERS_FROM_APPROVED', 'action.details.price'];
  await refusedForField(id, unpriced, differs, 'Required: the vote approved 900000000.', price);
  const leftOpen = 'Required, because the vote left this term open. The valuation is 500000000.';
  await refusedForField(open, { ...unpriced, details: boat }, 'INVALID_REQUEST', leftOpen, price);
  const approved = 'The vote approved sell_asset (ASSET_SALE).';
  await refusedForField(id, { type: 'liquidate' }, differs, approved, 'action.type');

  const sale = { type: 'sell_asset', details: { ...villa, price: 900 * ADA } };
  expect(await execute(service, id, executeBody(big, [], sale))).toMatchObject({
    status: 403,
    body: {
      error: {
        message: 'Insufficient signatures',
        details: {
          required: 2,
          present: 0,
          missing: 2,
          missingSigners: [],
          errors: [{ field: 'cosigners', message: 'Name at least 2 eligible cosigners. You named 0.' }],
        },
      },
    },
  });
  expect(await execute(service, id, executeBody(small, [big, middle], sale))).toMatchObject(
    errorResponse(400, 'INSUFFICIENT_FUNDS', { wallet: small.address }),
  );
});

test('an asset that is not in custody or is in use by another transaction is neither sold nor staked', async () => {
  const pool = newWallet();
  const vault = await vaultWithCustody(service, { staking_addresses: [pool.address] });
  const buyer = await service.fundedWallet({}, String(9000 * ADA));
  const villa = await addCustodyNft(service, vault, 40);
  const { named: notInCustody } = await mintNft(service, buyer.address, 2);
  await recordHeldAsset(service, vault.vaultId, notInCustody);
  const selling = (asset: AssetName) => ({
    details: {
      action_type: 'sell_asset',
      affected_assets: [asset],
      terms: { price: ADA, buyer_address: buyer.address },
    },
    action: { type: 'sell_asset', details: { ...asset, price: ADA } },
  });
  const lost = selling(notInCustody);
  await expectRefused(
    await createPassedProposal(service, vault, lost.details),
    vault,
    lost.action,
    400,
    'ASSET_NO_LONGER_HELD',
  );

  const staking = (asset: AssetName, direction: string) => ({
    details: {
      action_type: 'stake_asset',
      affected_assets: [asset],
      terms: { direction, staking_address: pool.address },
    },
    action: { type: 'stake_asset', details: asset },
  });
  const [back, out, sold, twice] = [staking(villa, 'back'), staking(villa, 'out'), selling(villa), selling(villa)];
  const ids = [];
  for (const { details } of [back, out, sold, twice]) {
    // Clears the assets of the earlier proposals so that several over the same asset can pass.
    await service.sql.run`update proposals set asset_ids = '{}'
        where vault_id = ${vault.vaultId} and status = 'PASSED'`;
    ids.push(await createPassedProposal(service, vault, details));
  }
  await service.sql.run`update proposals set asset_ids = array[(select id from assets
      where vault_id = ${vault.vaultId} and asset_name = ${Buffer.from(villa.asset_name).toString('hex')})]
      where id = any(${ids})`;
  const [backId = '', outId = '', soldId = '', twiceId = ''] = ids;
  await expectRefused(backId, vault, back.action, 400, 'ASSET_NOT_STAKED');

  const freeze = executeBody(vault.big, [vault.big, vault.middle], sold.action);
  expect(await service.api.post(`/proposals/${soldId}/executions`, freeze)).toMatchObject({ status: 201 });
  await expectRefused(twiceId, vault, twice.action, 400, 'CUSTODY_IN_USE');
  await expectRefused(outId, vault, out.action, 400, 'CUSTODY_IN_USE');
  const released =
    "update assets set status = 'RELEASED', release_reason = 'sold', released_at = now() where vault_id = $1";
  await service.sql.query(released, [vault.vaultId]);
  await expectRefused(twiceId, vault, twice.action, 400, 'ASSET_NO_LONGER_HELD');
  await expectRefused(outId, vault, out.action, 400, 'ASSET_NO_LONGER_HELD');
});

test('a purchase above the valuation, with ADA kept for others, of an excluded asset or of an asset in another vault is refused', async () => {
  const vault = await vaultWithCustody(service);
  await addCustodyNft(service, vault, 900);
  const seller = await service.fundedWallet();
  const { named: boat } = await mintNft(service, seller.address, 2);
  const details = { action_type: 'buy_asset', affected_assets: [boat], terms: { seller_address: seller.address } };
  const id = await createPassedProposal(service, vault, details);
  const buying = (price: number) => ({ type: 'buy_asset', details: { ...boat, price: price * ADA } });
  const refusedWhenVaultHas = async (column: string, value: unknown, code: string) => {
    const { rows } = await service.sql.query<{ before: unknown }>(
      `select ${column} as before from vaults where id = $1`,
      [vault.vaultId],
    );
    await service.sql.query(`update vaults set ${column} = $2 where id = $1`, [vault.vaultId, value]);
    await expectRefused(id, vault, buying(500), 400, code);
    await service.sql.query(`update vaults set ${column} = $2 where id = $1`, [vault.vaultId, rows[0]?.before]);
  };

  await expectRefused(id, vault, { type: 'buy_asset', details: boat }, 400, 'INVALID_REQUEST');
  await expectRefused(id, vault, buying(501), 400, 'PRICE_ABOVE_VALUATION');
  await setMarketPrice(service, boat, 500, aDayAgo());
  await expectRefused(id, vault, buying(500), 500, 'PRICE_UNAVAILABLE');
  await setMarketPrice(service, boat, 5000);
  await addCustodyAda(service, vault, 900);
  await expectRefused(id, vault, buying(950), 400, 'INSUFFICIENT_FUNDS');
  const expensive = executeBody(vault.big, [vault.big, vault.middle], buying(950));
  expect(await execute(service, id, expensive)).toMatchObject({
    body: { error: { details: { wallet: vault.custody } } },
  });
  await refusedWhenVaultHas('counted_assets', 10, 'MAX_ASSETS_REACHED');
  await refusedWhenVaultHas('asset_whitelist', ['00'.repeat(28)], 'ASSET_NOT_WHITELISTED');
  await refusedWhenVaultHas('asset_types', ['CNT'], 'ASSET_TYPE_NOT_ALLOWED');
  await refusedWhenVaultHas('policy_id', boat.policy_id, 'ASSET_IS_VAULT_TOKEN');

  // Another vault holds an asset of the same name. Taking this one for the NFT would make that vault lose its own.
  const other = await vaultWithCustody(service);
  await recordHeldAsset(service, other.vaultId, boat);
  await expectRefused(id, vault, buying(500), 400, 'ASSET_ALREADY_IN_VAULT');
  await service.sql.run`delete from assets where vault_id = ${other.vaultId}`;

  await service.sql.run`update vaults set failed_because = 'liquidated' where id = ${vault.vaultId}`;
  await expectRefused(id, vault, buying(500), 400, 'VAULT_ALREADY_ENDED');
  await service.sql.run`update vaults set failed_because = null where id = ${vault.vaultId}`;

  const frozen = executeBody(vault.big, [vault.big, vault.middle], buying(500));
  expect(await service.api.post(`/proposals/${id}/executions`, frozen)).toMatchObject({ status: 201 });
  const { rows } = await service.sql.query<{ paid: string; fee: string }>(
    `select sum(case when o ->> 'address' = $2 then (o ->> 'lovelace')::numeric else 0 end) -
        (select sum((i ->> 'lovelace')::numeric) from jsonb_array_elements(t.inputs) i where i ->> 'address' = $2) as paid, t.fee
      from chain_transactions t, jsonb_array_elements(t.outputs) o
      where t.kind = 'execute' and t.vault_id = $1 group by t.id`,
    [vault.vaultId, vault.custody],
  );
  expect(rows.map(({ paid, fee }) => Number(paid) + Number(fee))).toEqual([-500 * ADA]);
});

test('a purchase of a fraction of a token or of more tokens than may be contributed is refused', async () => {
  const vault = await vaultWithCustody(service);
  await addCustodyNft(service, vault, 900);
  const seller = await service.fundedWallet({ Grain: '2000000000001' });
  const assetNameHex = Buffer.from('Grain').toString('hex');
  const price = { policyId: seller.policyId, assetNameHex, lovelace: '100', decimals: 6 };
  await service.ledger.setPrice(price);
  const named = { policy_id: seller.policyId, asset_name: 'Grain' };
  const details = { ...named, price: 1 };
  const buying = async (quantity: string | undefined) => {
    const terms = { price: 1, seller_address: seller.address, ...(quantity !== undefined && { quantity }) };
    return createPassedProposal(service, vault, { action_type: 'buy_asset', affected_assets: [named], terms });
  };
  for (const quantity of [undefined, '999999', '1000000000001']) {
    const action = { type: 'buy_asset', details: { ...details, ...(quantity !== undefined && { quantity }) } };
    await expectRefused(await buying(quantity), vault, action, 400, 'INVALID_QUANTITY');
  }
  const most = '1000000000000';
  const body = executeBody(vault.big, [vault.big, vault.middle], {
    type: 'buy_asset',
    details: { ...details, quantity: most },
  });
  expect(await service.api.post(`/proposals/${await buying(most)}/executions`, body)).toMatchObject({ status: 201 });
});

test('a proposal to buy the vault’s own tokens is refused with ASSET_IS_VAULT_TOKEN', async () => {
  const { big, vaultId } = await vaultWithCustody(service);
  const rows = await service.sql.run<{ policy_id: string }>`select policy_id from vaults where id = ${vaultId}`;
  const affected_assets = [{ policy_id: rows[0]?.policy_id, asset_name: '0x0014df104d6f6f6e' }];
  const proposal_details = { title: 'Buy back', description: '', action_type: 'buy_asset', affected_assets };
  const body = { proposer: big.address, proposal_details };
  expect(await service.api.post(`/vaults/${vaultId}/proposals`, body)).toMatchObject(
    errorResponse(400, 'ASSET_IS_VAULT_TOKEN'),
  );
});

test('a proposal to buy a reference token (CIP-68) is refused with ASSET_IS_REFERENCE_TOKEN', async () => {
  const { big, vaultId } = await vaultWithCustody(service);
  const affected_assets = [{ policy_id: 'ab'.repeat(28), asset_name: '0x000643b0426f6174' }];
  const proposal_details = { title: 'Buy', description: '', action_type: 'buy_asset', affected_assets };
  const body = { proposer: big.address, proposal_details };
  expect(await service.api.post(`/vaults/${vaultId}/proposals`, body)).toMatchObject(
    errorResponse(400, 'ASSET_IS_REFERENCE_TOKEN'),
  );
});

test('only one of two purchases frozen for the last asset place of a vault is executed', async () => {
  const vault = await vaultWithCustody(service);
  const seller = await service.fundedWallet();
  const purchases = [
    await createSignedPurchase(service, vault, seller),
    await createSignedPurchase(service, vault, seller),
  ];
  await service.sql.run`update vaults set counted_assets = max_assets - 1 where id = ${vault.vaultId}`;
  const answers = await Promise.all(purchases.map(({ id, body }) => execute(service, id, body)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  expect(answers.find(({ status }) => status === 400)).toMatchObject(errorResponse(400, 'MAX_ASSETS_REACHED'));
});
