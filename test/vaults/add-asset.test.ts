import { expect, test } from '@jest/globals';
import { type ApiService, apiService, newWallet } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import { errorResponse } from '../stack/error-response.ts';

interface Added {
  asset_id: string;
  delivery_deposit: string;
  transaction: { tx_hash: string; unsigned_tx: string; status: string; expires_at: string };
}

async function newVault(service: ApiService, change: (body: ReturnType<typeof vaultBody>) => object = (body) => body) {
  const made = await service.api.post<{ vault_id: string }>('/vaults', change(vaultBody(newWallet().address)));
  expect(made.status).toBe(201);
  return `/vaults/${made.body.vault_id}`;
}

const refusalAt = (code: string, field: string) => errorResponse(400, code, { errors: [{ code, field }] });

test('a wallet adds an asset by signing the returned transaction and submitting its witnesses', async () => {
  await using service = await apiService();
  const path = await newVault(service);
  const owner = await service.fundedWallet({ Boat: '1' });
  const asset = {
    policy_id: owner.policyId,
    asset_name: 'Boat',
    valuation_method: 'Floor_Price',
    metadata: { creator: 'a shipyard', legal_proof: 'https://example.com/proof.pdf' },
    wallet_address: owner.address,
  };
  const added = await service.api.post<Added>(`${path}/assets`, asset);
  expect(added).toMatchObject({
    status: 201,
    body: {
      status: 'added',
      valuation: { method: 'floor_price', value: expect.any(Number) },
      transaction: { status: 'awaiting_signatures', block_height: null, required_signers: [owner.keyHash] },
    },
  });
  const { tx_hash: hash, unsigned_tx: unsigned } = added.body.transaction;
  const witnessSet = owner.sign(unsigned);
  const signed = await service.api.post(`/transactions/${hash}/witnesses`, { witnessSet });
  expect(signed).toMatchObject({
    status: 200,
    body: {
      data: {
        hash,
        status: 'pending',
        multiSignature: {
          signers: [owner.keyHash],
          threshold: 1,
          missing: 0,
          keys: [{ keyHash: owner.keyHash, wallet: owner.address, isPlatform: false, hasSigned: true }],
        },
      },
    },
  });
  const again = await service.api.post(`/transactions/${hash}/witnesses`, { witnessSet });
  expect(again).toMatchObject({ status: 200, body: { data: { status: 'pending' } } });

  const rows = await service.sql.run`select counted_assets from vaults`;
  expect(rows).toEqual([{ counted_assets: 1 }]);
  const list = await service.api.get(`${path}/assets?status=pending&type=nft`);
  expect(list.body).toMatchObject({
    data: {
      assets: [{ type: 'NFT', status: 'PENDING', contractAddress: owner.policyId, addedBy: owner.address }],
      pagination: { page: 1, limit: 20, total: 1 },
    },
  });
  const others = await service.api.get(`${path}/assets?addedBy=${newWallet().address}`);
  expect(others.body).toMatchObject({ data: { assets: [], pagination: { total: 0 } } });
  const own = await service.api.get(`${path}/assets?addedBy=${owner.address.toUpperCase()}`);
  expect(own.body).toMatchObject({ data: { pagination: { total: 1 } } });
  expect(await service.api.del(`${path}/assets/${added.body.asset_id}`)).toMatchObject(
    errorResponse(400, 'ASSET_NOT_LOCKED'),
  );
  const read = await service.api.get(`/transactions/${hash}`);
  expect(read.body).toMatchObject({ data: { history: [{ status: 'awaiting_signatures' }, { status: 'pending' }] } });
});

test('the platform adds an asset from its own wallet and signs the transaction itself', async () => {
  await using service = await apiService();
  const path = await newVault(service);
  const rows = await service.sql.run<{ operator_address: string }>`select operator_address from platform`;
  const address = rows[0]?.operator_address ?? '';
  const { policyId } = await service.ledger.faucet({ address, assets: [{ assetNameHex: '426f6174', quantity: '1' }] });
  await service.ledger.mine();
  const added = await service.api.post(`${path}/assets`, { policy_id: policyId, asset_name: 'Boat' });
  expect(added).toMatchObject({ status: 201, body: { transaction: { status: 'pending', block_height: null } } });
  const vault = await service.sql.query('select counted_assets from vaults');
  expect(vault.rows).toEqual([{ counted_assets: 1 }]);
});

test("the platform's own wallet invests and stakes nothing, and adds assets only where the deployment lets it", async () => {
  await using service = await apiService({ OPERATOR_DEPOSITS: 'false' });
  const path = await newVault(service);
  const policyId = 'ab'.repeat(28);
  const requests = [
    ['wallet_address', 'assets', { policy_id: policyId, asset_name: 'Boat' }],
    ['walletAddress', 'deposits', { assets: [{ policyId, assetName: 'Boat' }] }],
    ['walletAddress', 'investments', { lovelace: 5_000_000 }],
    ['walletAddress', 'stakes', { amount: 1 }],
  ] as const;
  for (const [field, operation, body] of requests)
    expect(await service.api.post(`${path}/${operation}`, body)).toMatchObject(refusalAt('INVALID_REQUEST', field));
});

test('each reason to refuse an asset has its own error code', async () => {
  await using service = await apiService();
  const owner = await service.fundedWallet({ Boat: '1', Grain: '5000' });
  const boat = { policy_id: owner.policyId, asset_name: 'Boat', wallet_address: owner.address };
  const add = (path: string, more: object = {}) => service.api.post(`${path}/assets`, { ...boat, ...more });
  const settings = (more: object) => (body: ReturnType<typeof vaultBody>) => ({
    ...body,
    asset_settings: { ...body.asset_settings, ...more },
  });

  const open = await newVault(service);
  expect(await add(open, { asset_name: 'Ship' })).toMatchObject(refusalAt('ASSET_NOT_IN_WALLET', 'asset_name'));
  expect(await add(open, { asset_name: 'Grain', quantity: 5001 })).toMatchObject(
    errorResponse(400, 'ASSET_NOT_IN_WALLET'),
  );
  expect(await add(open, { asset_name: 'Grain', quantity: 1_000_001 })).toMatchObject(
    errorResponse(400, 'INVALID_QUANTITY'),
  );
  expect(await add(open, { asset_name: 'x'.repeat(33) })).toMatchObject(errorResponse(400, 'INVALID_ASSET_NAME'));
  expect(await add(open, { wallet_address: 'addr_nonsense' })).toMatchObject(errorResponse(400, 'INVALID_ADDRESS'));

  const whitelisted = await newVault(service, settings({ policy_ids: ['ab'.repeat(28)] }));
  expect(await add(whitelisted)).toMatchObject(refusalAt('ASSET_NOT_WHITELISTED', 'policy_id'));
  const fungible = await newVault(service, settings({ allowed_asset_types: ['CNT'] }));
  expect(await add(fungible)).toMatchObject(refusalAt('ASSET_TYPE_NOT_ALLOWED', 'type'));
  const closed = await newVault(service, (body) => ({ ...body, vault_type: 'private', privacy_type: 'private' }));
  expect(await add(closed)).toMatchObject(refusalAt('CONTRIBUTOR_NOT_WHITELISTED', 'wallet_address'));
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const early = await newVault(service, settings({ asset_window_start_time: soon }));
  expect(await add(early)).toMatchObject(errorResponse(400, 'ASSET_WINDOW_NOT_OPEN'));
  const missing = '/vaults/01890a5d-ac96-774b-bcce-b302099a8057';
  expect(await add(missing)).toMatchObject(errorResponse(404, 'VAULT_NOT_FOUND'));
  await service.ledger.setPrice({ ...{ policyId: owner.policyId, lovelace: '1' }, asOf: '2026-01-01T00:00:00Z' });
  expect(await add(open)).toMatchObject(errorResponse(500, 'PRICE_UNAVAILABLE'));
  const rows = await service.sql.run`select id from assets`;
  expect(rows).toEqual([]);
});

test('one base unit of a fungible asset is not accepted as an NFT with the price of a whole token', async () => {
  await using service = await apiService();
  const path = await newVault(service);
  const owner = await service.fundedWallet({ Grain: '5000000' });
  await service.ledger.setPrice({ policyId: owner.policyId, lovelace: '500000000', decimals: 6 });
  const grain = { policy_id: owner.policyId, asset_name: 'Grain', wallet_address: owner.address };
  const add = (more: object) => service.api.post(`${path}/assets`, { ...grain, ...more });
  for (const more of [{}, { type: 'NFT' }, { type: 'NFT', quantity: 1 }]) {
    const refused = await add(more);
    expect(refused).toMatchObject(errorResponse(400, 'INVALID_QUANTITY'));
    expect(refused.body).toMatchObject({ error: { details: { errors: [{ field: 'type' }] } } });
  }
  expect(await add({ type: 'CNT', quantity: '0.000001' })).toMatchObject(errorResponse(400, 'INVALID_QUANTITY'));
  const whole = await add({ quantity: 1 });
  expect(whole).toMatchObject({ status: 201, body: { type: 'CNT' } });
});

test('a reference token (CIP-68) counts only at the price that its vault has for it, beside the token that it describes', async () => {
  await using service = await apiService();
  const owner = newWallet();
  const [reference, user] = ['000643b0426f6174', '000de140426f6174'];
  const assets = [reference, user].map((assetNameHex) => ({ assetNameHex, quantity: '1' }));
  const { policyId } = await service.ledger.faucet({ address: owner.address, lovelace: '100000000', assets });
  await service.ledger.mine();
  await service.ledger.setPrice({ policyId, lovelace: '500000000', decimals: 0 });
  const settings = (more: object) => (body: ReturnType<typeof vaultBody>) => ({
    ...body,
    asset_settings: { ...body.asset_settings, ...more },
  });
  const market = await newVault(service);
  const custom_prices = [{ policy_id: policyId, asset_name: `0x${reference}`, price: 2_000_000 }];
  const priced = await newVault(service, settings({ custom_prices }));
  const add = (path: string, name: string, more: object = {}) =>
    service.api.post(`${path}/assets`, {
      ...{ policy_id: policyId, asset_name: `0x${name}`, wallet_address: owner.address },
      ...more,
    });
  for (const more of [{}, { type: 'NFT' }, { type: 'CNT', quantity: 1 }])
    expect(await add(market, reference, more)).toMatchObject(refusalAt('ASSET_IS_REFERENCE_TOKEN', 'asset_name'));
  const deposit = { walletAddress: owner.address, assets: [{ policyId, assetName: `0x${reference}` }] };
  expect(await service.api.post(`${market}/deposits`, deposit)).toMatchObject(
    refusalAt('ASSET_IS_REFERENCE_TOKEN', 'assets.0.assetName'),
  );
  const both = { ...deposit, assets: [reference, user].map((name) => ({ policyId, assetName: `0x${name}` })) };
  expect(await service.api.post(`${priced}/deposits`, both)).toHaveProperty('status', 201);
  const rows = await service.sql.run`select asset_name, type, valuation_method from assets order by asset_name`;
  expect(rows).toEqual([
    { asset_name: reference, type: 'NFT', valuation_method: 'custom' },
    { asset_name: user, type: 'NFT', valuation_method: 'floor_price' },
  ]);
});

test('a token whose name says that it is fungible (CIP-68) is no NFT, even if there is one of it', async () => {
  await using service = await apiService();
  const path = await newVault(service);
  for (const label of ['0014df10', '001bc280']) {
    const owner = newWallet();
    const assetNameHex = `${label}426f6174`;
    const assets = [{ assetNameHex, quantity: '1' }];
    const { policyId } = await service.ledger.faucet({ address: owner.address, lovelace: '100000000', assets });
    await service.ledger.mine();
    await service.ledger.setPrice({ policyId, lovelace: '500000000', decimals: 0 });
    const asset = { policy_id: policyId, asset_name: `0x${assetNameHex}`, wallet_address: owner.address };
    const add = (more: object) => service.api.post(`${path}/assets`, { ...asset, ...more });
    expect(await add({ type: 'NFT' })).toMatchObject(refusalAt('INVALID_QUANTITY', 'type'));
    expect(await add({})).toMatchObject({ status: 201, body: { type: 'CNT' } });
  }
});

test('assets and investments are refused after their window has closed', async () => {
  await using service = await apiService();
  const path = await newVault(service);
  const owner = await service.fundedWallet({ Boat: '1' });
  await service.advance(7 * 24 * 3600);
  const asset = { policy_id: owner.policyId, asset_name: 'Boat', wallet_address: owner.address };
  expect(await service.api.post(`${path}/assets`, asset)).toMatchObject(errorResponse(400, 'ASSET_WINDOW_CLOSED'));
  const investment = { walletAddress: owner.address, lovelace: 5_000_000 };
  expect(await service.api.post(`${path}/investments`, investment)).toMatchObject(
    errorResponse(400, 'INVESTMENT_WINDOW_CLOSED'),
  );
});

test('a new request for an NFT supersedes an unsigned one, and is refused once one is signed', async () => {
  await using service = await apiService();
  const path = await newVault(service);
  const owner = await service.fundedWallet({ Boat: '1' });
  const add = () =>
    service.api.post<Added>(`${path}/assets`, {
      policy_id: owner.policyId,
      asset_name: 'Boat',
      wallet_address: owner.address,
    });
  const first = await add();
  await service.advance(2); // otherwise the second transaction would have the same bytes
  const second = await add();
  expect([first.status, second.status]).toEqual([201, 201]);
  const sign = ({ body: { transaction } }: { body: Added }) =>
    service.api.post(`/transactions/${transaction.tx_hash}/witnesses`, {
      witnessSet: owner.sign(transaction.unsigned_tx),
    });
  expect(await sign(first)).toMatchObject(errorResponse(400, 'TRANSACTION_EXPIRED'));
  expect(await sign(second)).toMatchObject({ status: 200 });
  await service.advance(2);
  expect(await add()).toMatchObject(errorResponse(400, 'ASSET_ALREADY_IN_VAULT'));
});

test('concurrent requests for the same NFT create one pending asset', async () => {
  await using service = await apiService();
  const path = await newVault(service);
  const owner = await service.fundedWallet({ Boat: '1' });
  const asset = { policy_id: owner.policyId, asset_name: 'Boat', wallet_address: owner.address };
  const answers = await Promise.all(Array.from({ length: 6 }, () => service.api.post(`${path}/assets`, asset)));
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  const rows = await service.sql.run`select id from assets where status = 'PENDING'`;
  expect(rows).toHaveLength(1);
});

test('an asset beyond max_assets is refused when it is signed, and takes no place while unsigned', async () => {
  await using service = await apiService();
  const path = await newVault(service, (body) => ({
    ...body,
    asset_settings: { ...body.asset_settings, max_assets: 1 },
  }));
  const [one, other] = [await service.fundedWallet({ Boat: '1' }), await service.fundedWallet({ Ship: '1' })];
  const add = (owner: typeof one, name: string) =>
    service.api.post<Added>(`${path}/assets`, {
      policy_id: owner.policyId,
      asset_name: name,
      wallet_address: owner.address,
    });
  const [boat, ship] = [await add(one, 'Boat'), await add(other, 'Ship')];
  const sign = (owner: typeof one, { body: { transaction } }: { body: Added }) =>
    service.api.post(`/transactions/${transaction.tx_hash}/witnesses`, {
      witnessSet: owner.sign(transaction.unsigned_tx),
    });
  expect(await sign(other, ship)).toMatchObject({ status: 200 });
  expect(await sign(one, boat)).toMatchObject(errorResponse(400, 'MAX_ASSETS_REACHED'));
  expect(await add(one, 'Boat')).toMatchObject(errorResponse(400, 'MAX_ASSETS_REACHED'));
});
