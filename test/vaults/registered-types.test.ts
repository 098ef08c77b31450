import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { builtInAssetTypes, builtInVaultTypes } from '../../src/types/rules.ts';
import { type ApiService, apiService } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import { errorResponse } from '../stack/error-response.ts';

interface Refused {
  readonly error: { readonly code: string; readonly details: { readonly errors: { readonly field: string }[] } };
}

// The faucet has one policy, so each test has names of its own.
let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

const register = (path: string, rules: object) => service.api.put(path, rules);

/** Registers the types of a club of contributors that takes appraised houses and gold. */
async function registerClub() {
  const made = [
    await register('/asset-types/house', { base: 'NFT', priceSources: ['admin'] }),
    await register('/asset-types/gold', { base: 'CNT', minQuantity: 10, maxQuantity: 20 }),
    await register('/vault-types/club', {
      contributors: 'listed',
      investors: 'anyone',
      valuationTypes: ['FIXED'],
      assetTypes: ['house', 'gold'],
    }),
  ];
  expect(made.map(({ status }) => status)).toEqual([200, 200, 200]);
}

function createClub(admin: string, { types = ['HOUSE', 'gold'], valuation = 'FIXED', vault = {}, assets = {} } = {}) {
  const { privacy_type: _, ...body } = vaultBody(admin);
  const settings = { ...body.asset_settings, allowed_asset_types: types, valuation_type: valuation, ...assets };
  return service.api.post<{ vault_id: string }>('/vaults', {
    ...body,
    vault_type: 'Club',
    asset_settings: settings,
    ...vault,
  });
}

test('the types of the specification are in the registry with the rules of the code, and nobody changes them', async () => {
  const { body: vaults } = await service.api.get<{ data: { vaultTypes: object[] } }>('/vault-types');
  const { body: assets } = await service.api.get<{ data: { assetTypes: object[] } }>('/asset-types');
  const listed = [...vaults.data.vaultTypes, ...assets.data.assetTypes].filter(
    (type) => 'builtIn' in type && type.builtIn,
  );
  const known = Object.entries({ ...builtInAssetTypes, ...builtInVaultTypes });
  expect(listed).toHaveLength(known.length);
  for (const [name, rules] of known)
    expect(listed).toContainEqual(expect.objectContaining({ name, retiredAt: null, ...rules }));

  const open = { contributors: 'anyone', investors: 'anyone' };
  expect(await register('/vault-types/semi-private', open)).toMatchObject(errorResponse(400, 'TYPE_IS_BUILT_IN'));
  expect(await service.api.del('/asset-types/nft')).toMatchObject(errorResponse(400, 'TYPE_IS_BUILT_IN'));
  expect(await service.api.get('/vault-types/nowhere')).toMatchObject(errorResponse(404, 'TYPE_NOT_FOUND'));
});

test.each<[string, object, string]>([
  ['/vault-types/x', { investors: 'anyone' }, 'contributors'],
  ['/vault-types/x', { contributors: 'anyone', investors: 'listed', readers: 'participants' }, 'readers'],
  ['/vault-types/x', { contributors: 'anyone', investors: 'anyone', assetTypes: ['nowhere'] }, 'assetTypes.0'],
  ['/vault-types/x', { contributors: 'anyone', investors: 'anyone', valuationTypes: [] }, 'valuationTypes'],
  ['/asset-types/x', { base: 'CNT', minQuantity: 3, maxQuantity: 2 }, 'maxQuantity'],
  ['/asset-types/x', { base: 'NFT', maxQuantity: 2 }, 'maxQuantity'],
  ['/asset-types/x', { base: 'CNT', maxQuantity: 1_000_001 }, 'maxQuantity'],
  ['/asset-types/x', { base: 'house' }, 'base'],
  ['/asset-types/2nd', { base: 'NFT' }, 'name'],
])('rules that nobody could meet are refused with their field (%s %j)', async (path, rules, field) => {
  const { status, body } = await service.api.put<Refused>(path, rules);
  expect([status, body.error.details.errors[0]?.field]).toEqual([400, field]);
});

test('a vault is created with a registered type as its rules allow, and with no other valuation or asset type', async () => {
  await registerClub();
  const { address } = await service.fundedWallet();
  const fieldsOf = async (...request: Parameters<typeof createClub>) => {
    const { status, body } = await createClub(...request);
    const { code, details } = (body as unknown as Refused).error;
    expect([status, code]).toEqual([400, 'INVALID_VAULT_PARAMS']);
    return details.errors.map(({ field }) => field);
  };
  expect(await fieldsOf(address, { valuation: 'LBE', types: ['NFT', 'gold', 'silk'] })).toEqual([
    'asset_settings.allowed_asset_types.2',
    'asset_settings.allowed_asset_types.0',
    'asset_settings.valuation_type',
  ]);
  expect(await fieldsOf(address, { vault: { vault_type: 'guild' } })).toEqual(['vault_type']);
  expect(await fieldsOf(address, { vault: { privacy_type: 'PUBLIC' } })).toEqual(['privacy_type']);

  const { body } = await createClub(address, { types: ['gold', 'house'] });
  const path = `/vaults/${body.vault_id}`;
  expect((await service.api.get(path)).body).toMatchObject({
    data: {
      type: 'CLUB',
      assetTypes: ['GOLD', 'HOUSE'],
      investorListEnabled: false,
      typeRules: { readers: 'anyone', contributors: 'listed', investors: 'anyone', valuationTypes: ['FIXED'] },
      assetTypeRules: [
        { name: 'GOLD', base: 'CNT', minQuantity: 10 },
        { name: 'HOUSE', base: 'NFT' },
      ],
    },
  });
  const listed = await service.api.get('/vaults?type=club');
  expect(listed.body).toMatchObject({ data: { vaults: [{ id: body.vault_id, type: 'CLUB' }] } });
  for (const type of ['public', 'semi-private'])
    expect(JSON.stringify((await service.api.get(`/vaults?type=${type}`)).body)).not.toContain(body.vault_id);
});

test('contributions are judged by the rules that the types had when the vault was created', async () => {
  await registerClub();
  const [member, stranger] = [await service.fundedWallet({ Villa: '1' }), await service.fundedWallet({ Bar: '500' })];
  const [smith, investor] = [await service.fundedWallet({ Bar: '500' }), await service.fundedWallet()];
  const { policyId: policy_id } = member;
  const { body: made } = await createClub(member.address, {
    assets: { custom_prices: [{ policy_id, asset_name: 'Villa', price: 9_000_000_000 }] },
    vault: { contributor_whitelist: [smith.address] },
  });
  // None of this concerns a vault that exists.
  await register('/vault-types/club', { contributors: 'anyone', investors: 'listed' });
  await register('/asset-types/gold', { base: 'CNT', minQuantity: 1000 });
  await service.api.del('/asset-types/house');
  await service.api.del('/vault-types/club');

  const path = `/vaults/${made.vault_id}`;
  const add = (owner: { address: string }, asset_name: string, rest: object = {}) =>
    service.api.post<{ asset_id: string }>(`${path}/assets`, {
      policy_id,
      asset_name,
      wallet_address: owner.address,
      ...rest,
    });
  const gold = (quantity: string) => ({ type: 'Gold', quantity });
  expect(await add(stranger, 'Bar', gold('15'))).toMatchObject(errorResponse(400, 'CONTRIBUTOR_NOT_WHITELISTED'));
  expect(await add(smith, 'Bar', { quantity: '15' })).toMatchObject(errorResponse(400, 'ASSET_TYPE_NOT_ALLOWED'));
  expect(await add(smith, 'Bar', { ...gold('15'), type: 'silk' })).toMatchObject(
    errorResponse(400, 'ASSET_TYPE_NOT_ALLOWED'),
  );
  for (const quantity of ['9', '21'])
    expect(await add(smith, 'Bar', gold(quantity))).toMatchObject(errorResponse(400, 'INVALID_QUANTITY'));
  // A house is appraised by the admin, and this asset is not.
  expect(await add(smith, 'Bar', { type: 'house' })).toMatchObject(errorResponse(400, 'INVALID_QUANTITY'));
  expect(await add(member, 'Villa')).toMatchObject(errorResponse(400, 'ASSET_TYPE_NOT_ALLOWED'));
  const villa = await add(member, 'Villa', { type: 'house' });
  expect(villa).toMatchObject({ status: 201, body: { type: 'HOUSE', valuation: { method: 'custom' } } });
  expect(await add(smith, 'Bar', gold('15'))).toMatchObject({
    status: 201,
    body: { type: 'GOLD', valuation: { method: 'dex_price' } },
  });
  const read = await service.api.get(`${path}/assets/${villa.body.asset_id}`);
  expect(read.body).toMatchObject({ data: { type: 'HOUSE', floorPrice: 9_000_000_000, quantity: 1 } });
  expect((await service.api.get(`${path}/assets?type=house&status=pending`)).body).toMatchObject({
    data: { assets: [{ type: 'HOUSE' }], pagination: { total: 1 } },
  });
  const investment = { walletAddress: investor.address, lovelace: 5_000_000 };
  expect(await service.api.post(`${path}/investments`, investment)).toMatchObject({ status: 201 });
  expect((await createClub(member.address)).body).toMatchObject(errorResponse(400, 'INVALID_VAULT_PARAMS').body);
});

test('an asset whose type the admin must appraise is refused without such a price', async () => {
  await registerClub();
  const owner = await service.fundedWallet({ Cottage: '1' });
  const { body } = await createClub(owner.address);
  const house = { policy_id: owner.policyId, asset_name: 'Cottage', type: 'house', wallet_address: owner.address };
  const refused = await service.api.post(`/vaults/${body.vault_id}/assets`, house);
  expect(refused).toMatchObject({
    ...errorResponse(400, 'VALUATION_METHOD_NOT_ALLOWED'),
    body: { error: { details: { method: 'floor_price', allowed: ['custom'] } } },
  });
});
