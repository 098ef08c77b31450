import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiService, apiService, newWallet } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import { errorResponse } from '../stack/error-response.ts';

interface Deposited {
  readonly data: {
    readonly assets: readonly { readonly assetId: string; readonly assetNameHex: string }[];
    readonly transaction: { readonly hash: string; readonly unsignedTx: string };
  };
}

// The faucet has one policy, so each test has names of its own.
let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

async function newVault(settings: object = {}) {
  const body = vaultBody(newWallet().address);
  const made = await service.api.post<{ vault_id: string }>('/vaults', {
    ...body,
    asset_settings: { ...body.asset_settings, ...settings },
  });
  expect(made.status).toBe(201);
  return made.body.vault_id;
}

type Owner = Awaited<ReturnType<ApiService['fundedWallet']>>;

const deposit = (vaultId: string, owner: Owner, assets: readonly object[], headers: Record<string, string> = {}) =>
  service.api.post<Deposited>(
    `/vaults/${vaultId}/deposits`,
    { walletAddress: owner.address, assets: assets.map((asset) => ({ policyId: owner.policyId, ...asset })) },
    { headers },
  );
const sign = (owner: Owner, { transaction }: Deposited['data']) =>
  service.api.post(`/transactions/${transaction.hash}/witnesses`, {
    witnessSet: owner.sign(transaction.unsignedTx),
  });

async function stateOf(vaultId: string) {
  const rows = await service.sql.run<{ counted: number; assets: string[] | null }>`select counted_assets as counted,
       (select array_agg(status || ' ' || deposit_index order by deposit_index, id)
       from assets where vault_id = v.id) as assets from vaults v where id = ${vaultId}`;
  return rows[0];
}

test('several assets are added by one transaction, with one signature, and counted when it is signed', async () => {
  const vaultId = await newVault();
  const owner = await service.fundedWallet({ Boat: '1', Mast: '1', Grain: '5000' });
  const listed = [
    { assetName: 'Boat' },
    { assetName: 'Grain', quantity: '12', valuationMethod: 'DEX_PRICE' },
    { assetName: '0x4d617374' },
  ];
  const { status, body } = await deposit(vaultId, owner, listed);
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      data: {
        vaultId,
        walletAddress: owner.address,
        assets: [
          { assetNameHex: '426f6174', type: 'NFT', quantityBaseUnits: '1', valuationMethod: 'floor_price' },
          { assetNameHex: '477261696e', type: 'CNT', quantityBaseUnits: '12', valuationMethod: 'dex_price' },
          { assetNameHex: '4d617374', type: 'NFT' },
        ],
        transaction: { status: 'awaiting_signatures', requiredSigners: [owner.keyHash] },
      },
    },
  });
  expect(await stateOf(vaultId)).toEqual({ counted: 0, assets: ['PENDING 0', 'PENDING 1', 'PENDING 2'] });
  expect(await sign(owner, body.data)).toMatchObject({ status: 200, body: { data: { status: 'pending' } } });
  expect(await stateOf(vaultId)).toMatchObject({ counted: 3 });
  for (const { assetId } of body.data.assets)
    expect(await service.api.get(`/vaults/${vaultId}/assets/${assetId}`)).toMatchObject({ status: 200 });
});

test('the maximum of a vault holds for all assets of a deposit together', async () => {
  const vaultId = await newVault({ max_assets: 3 });
  const owner = await service.fundedWallet({ A: '1', B: '1', C: '1', D: '1' });
  const named = (...names: string[]) => names.map((assetName) => ({ assetName }));
  const tooMany = errorResponse(400, 'MAX_ASSETS_REACHED');
  expect(await deposit(vaultId, owner, named('A', 'B', 'C', 'D'))).toMatchObject(tooMany);
  const other = await service.fundedWallet({ E: '1', F: '1' });
  const first = await deposit(vaultId, owner, named('A', 'B'));
  const second = await deposit(vaultId, other, named('E', 'F'));
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(await sign(owner, first.body.data)).toMatchObject({ status: 200 });
  expect(await sign(other, second.body.data)).toMatchObject(tooMany);
  expect(await stateOf(vaultId)).toMatchObject({ counted: 2 });
});

test('a refused asset refuses the whole deposit, and the refusal names it', async () => {
  const owner = await service.fundedWallet({ Raft: '1', Oar: '1', Print: '2' });
  const foreign = { assetName: 'Raft', policyId: 'ab'.repeat(28) };
  const boat = { assetName: 'Raft' };
  const open = await newVault();
  const listed = await newVault({ policy_ids: [owner.policyId] });
  const nftOnly = await newVault({ allowed_asset_types: ['NFT'] });
  const tried: [vaultId: string, assets: object[], code: string, field: string][] = [
    [open, [boat, { assetName: 'x'.repeat(33) }], 'INVALID_ASSET_NAME', 'assets.1.assetName'],
    [open, [boat, { assetName: '0x52616674' }], 'INVALID_REQUEST', 'assets.1.assetName'],
    [open, [boat, { assetName: 'Oar', valuationMethod: 'dex_price' }], 'INVALID_REQUEST', 'assets.1.valuationMethod'],
    [open, [boat, { assetName: 'Oar', quantity: 2, type: 'nft' }], 'INVALID_QUANTITY', 'assets.1.quantity'],
    [open, [boat, { assetName: 'Print', type: 'nft' }], 'INVALID_QUANTITY', 'assets.1.type'],
    [open, [boat, { assetName: 'Sail' }], 'ASSET_NOT_IN_WALLET', 'assets.1.assetName'],
    [listed, [boat, foreign], 'ASSET_NOT_WHITELISTED', 'assets.1.policyId'],
    [nftOnly, [boat, { assetName: 'Print' }], 'ASSET_TYPE_NOT_ALLOWED', 'assets.1.type'],
    [open, [], 'INVALID_REQUEST', 'assets'],
    [open, Array.from({ length: 41 }, (_, n) => ({ assetName: `N${n}` })), 'INVALID_REQUEST', 'assets'],
    [open, [boat, { assetName: 'Oar', colour: 'red' }], 'INVALID_REQUEST', 'assets.1.colour'],
  ];
  for (const [vaultId, assets, code, field] of tried) {
    const { status, body } = await deposit(vaultId, owner, assets);
    expect({ status, body }).toMatchObject(errorResponse(400, code, { errors: [{ field }] }));
    expect(await stateOf(vaultId)).toEqual({ counted: 0, assets: null });
  }
});

test('an NFT of a signed deposit is taken; adding one of an unsigned deposit ends that deposit', async () => {
  const vaultId = await newVault();
  const owner = await service.fundedWallet({ Tug: '1', Rope: '1', Buoy: '1' });
  const first = await deposit(vaultId, owner, [{ assetName: 'Tug' }, { assetName: 'Rope' }]);
  await service.advance(2); // otherwise the second transaction could have the same bytes
  const second = await deposit(vaultId, owner, [{ assetName: 'Buoy' }, { assetName: 'Tug' }]);
  expect([first.status, second.status]).toEqual([201, 201]);
  const rows = await service.sql.run`select status, release_reason as reason from assets
      where vault_id = ${vaultId} order by id`;
  const [gone, pending] = [
    { status: 'RELEASED', reason: 'expired' },
    { status: 'PENDING', reason: null },
  ];
  expect(rows).toEqual([gone, gone, pending, pending]);
  expect(await sign(owner, first.body.data)).toMatchObject({ body: { error: { code: 'TRANSACTION_EXPIRED' } } });
  expect(await sign(owner, second.body.data)).toMatchObject({ status: 200 });
  const third = await deposit(vaultId, owner, [{ assetName: 'Rope' }, { assetName: 'Tug' }]);
  expect(third).toMatchObject(
    errorResponse(400, 'ASSET_ALREADY_IN_VAULT', { errors: [{ field: 'assets.1.assetName' }] }),
  );
});

test('the platform deposits from its own wallet, and signs itself', async () => {
  const vaultId = await newVault();
  const rows = await service.sql.run<{ operator_address: string }>`select operator_address from platform`;
  const names = ['4b6179616b', '43616e6f65'];
  const { policyId } = await service.ledger.faucet({
    address: rows[0]?.operator_address ?? '',
    assets: names.map((assetNameHex) => ({ assetNameHex, quantity: '1' })),
  });
  await service.ledger.mine();
  const assets = names.map((name) => ({ policyId, assetName: `0x${name}` }));
  const made = await service.api.post(`/vaults/${vaultId}/deposits`, { assets });
  expect(made).toMatchObject({ status: 201, body: { data: { transaction: { status: 'pending' } } } });
  expect(await stateOf(vaultId)).toMatchObject({ counted: 2 });
});
