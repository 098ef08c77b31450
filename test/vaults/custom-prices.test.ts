import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readProof } from '../anchoring/anchor-proof.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { type ApiService, apiService, newWallet } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import { logIn } from './logged-in-wallet.ts';

interface Changed {
  readonly data: { readonly transaction: { readonly proof: string } };
}

// The faucet has one policy, so each test has names of its own.
let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

const hex = (name: string) => Buffer.from(name).toString('hex');
const error = (code: string, ...fields: string[]) => ({
  status: 400,
  body: { error: { code, ...(fields.length > 0 && { details: { errors: fields.map((field) => ({ field })) } }) } },
});

function requestVault(settings: object, admin = newWallet().address) {
  const body = vaultBody(admin);
  return service.api.post<{ vault_id: string }>('/vaults', {
    ...body,
    asset_settings: { ...body.asset_settings, ...settings },
  });
}

async function newVault(settings: object, admin?: string): Promise<string> {
  const { status, body } = await requestVault(settings, admin);
  expect(status).toBe(201);
  return `/vaults/${body.vault_id}`;
}

test('an asset with a custom price is valued by it alone, and no other vault learns of that price', async () => {
  // Each asset of a wallet waits in an output of its own, so that one deposit does not block the next.
  const [owner, farmer, skipper] = [
    await service.fundedWallet({ Deed: '1' }),
    await service.fundedWallet({ Acre: '500' }),
    await service.fundedWallet({ Yacht: '1' }),
  ];
  const { policyId: policy_id } = owner;
  const custom_prices = [
    { policy_id, asset_name: 'Deed', price: 7_000_000_000 },
    { policy_id, asset_name: `0x${hex('Acre')}`, price: '2000000', decimals: 2, max_quantity: 2 },
  ];
  const path = await newVault({ custom_prices });
  const add = (asset_name: string, { address: wallet_address }: { address: string }, rest: object = {}) =>
    service.api.post<{ asset_id: string }>(`${path}/assets`, { policy_id, asset_name, wallet_address, ...rest });
  expect((await service.api.get(path)).body).toMatchObject({
    data: {
      customPrices: [
        { policyId: policy_id, assetNameHex: hex('Deed'), price: '7000000000', decimals: 0, maxQuantity: 1 },
        { policyId: policy_id, assetNameHex: hex('Acre'), price: '2000000', decimals: 2, maxQuantity: 2 },
      ],
    },
  });

  expect(await add('Deed', owner, { valuation_method: 'floor_price' })).toMatchObject(
    error('VALUATION_METHOD_NOT_ALLOWED'),
  );
  expect(await add('Yacht', skipper, { valuation_method: 'custom' })).toMatchObject(
    error('VALUATION_METHOD_NOT_ALLOWED'),
  );
  // However old it is: it was set for these windows, and everybody has seen it.
  await service.sql.run`update vaults
      set custom_prices = jsonb_set(custom_prices, '{0,setAt}', '"2024-01-01T00:00:00.000Z"')`;
  const deed = await add('Deed', owner, { valuation_method: 'custom' });
  expect(deed).toMatchObject({ status: 201, body: { valuation: { method: 'custom', value: 6_300_000_000 } } });
  // Two and a half tokens of two decimals.
  expect(await add('Acre', farmer, { quantity: '2.5' })).toMatchObject({
    status: 201,
    body: { type: 'CNT', valuation: { method: 'custom', value: 4_500_000 } },
  });
  expect((await service.api.get(`${path}/assets/${deed.body.asset_id}`)).body).toMatchObject({
    data: {
      valuationMethod: 'custom',
      floorPrice: 7_000_000_000,
      priceSource: 'admin',
      lastValuation: '2024-01-01T00:00:00.000Z',
    },
  });
  // It counts with 90 % of two tokens at most.
  const { rows } = await service.sql.query(`select market_limit from assets where asset_name = '${hex('Acre')}'`);
  expect(rows).toEqual([{ market_limit: '3600000' }]);
  expect((await service.sql.query('select from prices where policy_id = $1', [policy_id])).rowCount).toBe(0);
  expect(await add('Yacht', skipper)).toMatchObject({ status: 201, body: { valuation: { method: 'floor_price' } } });
});

test('custom prices change until the asset window opens, by the admin, and each change can be proven', async () => {
  const [admin, stranger] = [signingWallet(), signingWallet()];
  const opens = new Date(Date.now() + 86_400_000).toISOString();
  const [path, open] = [
    await newVault({ asset_window_start_time: opens }, admin.address),
    await newVault({}, admin.address),
  ];
  const [asAdmin, asStranger] = [await logIn(service, admin), await logIn(service, stranger)];
  const policyId = 'ab'.repeat(28);
  const customPrices = [{ policyId, assetName: 'Tower', price: '1000000' }];
  expect(await service.api.patch(path, { customPrices }, asStranger)).toMatchObject({ status: 403 });
  const changed = await service.api.patch<Changed>(path, { customPrices }, asAdmin);
  expect(changed).toMatchObject({
    status: 200,
    body: { data: { customPrices: [{ policyId, assetNameHex: hex('Tower'), price: '1000000', decimals: 0 }] } },
  });
  const proof = await readProof(service, changed.body.data.transaction.proof.split('/')[4]!);
  expect(JSON.parse(proof.fact)).toMatchObject({
    kind: 'vault_settings_changed',
    prices: [{ policyId, assetNameHex: hex('Tower'), lovelace: '1000000', decimals: 0, maxQuantity: 1 }],
  });
  expect(await service.api.patch(path, { customPrices: [] })).toMatchObject({ body: { data: { customPrices: [] } } });
  expect(await service.api.patch(open, { customPrices }, asAdmin)).toMatchObject(
    error('SETTING_NOT_CHANGEABLE', 'customPrices'),
  );
  expect(await service.api.patch(path, { customPrices: [...customPrices, ...customPrices] })).toMatchObject(
    error('INVALID_REQUEST', 'customPrices.1.assetName'),
  );
});

test('a vault is not created with a custom price that names no asset, the same one twice, or no price', async () => {
  const price = { policy_id: 'cd'.repeat(28), asset_name: 'Tower', price: 1 };
  const custom_prices = [price, price, { ...price, asset_name: '0xzz' }, { ...price, asset_name: 'Mill', price: 0 }];
  const { status, body } = await requestVault({ custom_prices });
  const { error: refusal } = body as unknown as {
    error: { code: string; details: { errors: { field: string }[] } };
  };
  expect([status, refusal.code]).toEqual([400, 'INVALID_VAULT_PARAMS']);
  expect(refusal.details.errors.map(({ field }) => field)).toEqual(['asset_settings.custom_prices.3.price']);
  const valid = await requestVault({ custom_prices: custom_prices.slice(0, 3) });
  expect(valid).toMatchObject(
    error('INVALID_VAULT_PARAMS', ...[1, 2].map((at) => `asset_settings.custom_prices.${at}.asset_name`)),
  );
});
