import { expect, test } from '@jest/globals';
import { bech32 } from '@scure/base';
import { canaries } from '../secrets/canaries.ts';
import { apiService, newWallet } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import { errorResponse } from '../stack/error-response.ts';

test('creating a vault returns the response of the specification and starts its windows', async () => {
  await using service = await apiService();
  const admin = newWallet();
  const made = await service.api.post<Record<string, string>>('/vaults', vaultBody(admin.address));
  expect(made).toMatchObject({
    status: 201,
    body: {
      vault_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      vault_name: 'Harbour Loft',
      transaction: { tx_hash: expect.stringMatching(/^[0-9a-f]{64}$/), status: 'pending', block_height: null },
      investment_window: { duration: '07:00:00' },
      status: 'created',
    },
  });

  const read = await service.api.get(`/vaults/${made.body['vault_id'] ?? ''}`);
  expect(read.body).toMatchObject({
    status: 'success',
    data: {
      status: 'DRAFT',
      type: 'PUBLIC',
      phase: 'asset_and_investment_window',
      createdBy: admin.address,
      adminEmail: canaries.email,
      assetWindow: { status: 'ACTIVE', duration: '07:00:00' },
      fractionalization: { percentage: 50, tokenSupply: 1_000_000, tokenSupplyBaseUnits: '1000000000000' },
      metadata: { assetSettings: { floorPricePercentage: 90, maxAssets: 10 } },
      settlement: null,
    },
  });
  const rows = await service.sql.run`select workflow_id, message from workflow_notices`;
  expect(rows).toEqual([
    {
      workflow_id: `vault-${made.body['vault_id'] ?? ''}`,
      message: { kind: 'start', workflow: 'vault', vaultId: made.body['vault_id'] },
    },
  ]);
});

test('vaults created at the same time each get their own keys and inputs', async () => {
  await using service = await apiService();
  const admin = newWallet();
  const made = await Promise.all(
    Array.from({ length: 12 }, () => service.api.post<Record<string, string>>('/vaults', vaultBody(admin.address))),
  );
  expect(made.map(({ status }) => status)).toEqual(Array(12).fill(201));
  expect(new Set(made.map(({ body }) => body['contract_address'])).size).toBe(12);
  const list = await service.api.get('/vaults?status=draft&limit=5&page=3&sort=name:asc');
  expect(list.body).toMatchObject({
    data: { vaults: [expect.anything(), expect.anything()] },
    metadata: { pagination: { page: 3, limit: 5, total: 12 } },
  });
});

test('a create request repeated with its idempotency key creates no second vault, even while the ledger is down', async () => {
  await using service = await apiService();
  const body = vaultBody(newWallet().address);
  const headers = { 'idempotency-key': 'once' };
  const first = await service.api.post('/vaults', body, { headers });
  await service.ledger.faults({ all: 'down' });
  const second = await service.api.post('/vaults', body, { headers });
  expect(second.status).toBe(201);
  expect(second.body).toEqual(first.body);
  expect((await service.api.post('/vaults', body)).status).toBeGreaterThanOrEqual(500);
  const rows = await service.sql.run`select id from vaults`;
  expect(rows).toHaveLength(1);
});

test('an invalid create request reports all its problems at once, each with its field', async () => {
  await using service = await apiService();
  const good = vaultBody('addr1vxeuemzvhq7xj0wvhf9c22y96auwc6m3rf3w9z0tqg2zs5q3f6kqs');
  const answer = await service.api.post('/vaults', {
    ...good,
    vault_name: undefined,
    surprise: true,
    privacy_type: 'private',
    admin_user: { wallet_address: 'nonsense' },
    asset_settings: { ...good.asset_settings, asset_window_duration: '31:00:00' },
    investment_settings: { ...good.investment_settings, ft_percentage: 1, lp_percentage: 3, ft_supply: 1e15 },
    termination: { type: 'PROGRAMMED' },
    contributor_whitelist: ['nonsense'],
  });
  expect(answer.status).toBe(400);
  const { error } = answer.body as { error: { code: string; details: { errors: { field: string }[] } } };
  expect(error.code).toBe('INVALID_VAULT_PARAMS');
  expect(error.details.errors.map(({ field }) => field).sort()).toEqual([
    'admin_user.wallet_address',
    'asset_settings.asset_window_duration',
    'contributor_whitelist.0',
    'investment_settings.ft_supply',
    'investment_settings.lp_percentage',
    'privacy_type',
    'surprise',
    'termination.duration',
    'vault_name',
  ]);
});

test('a cancelled vault accepts no assets or investments, and cannot be cancelled twice', async () => {
  await using service = await apiService();
  const { address, policyId } = await service.fundedWallet({ Boat: '1' });
  const made = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(address));
  const path = `/vaults/${made.body.vault_id}`;
  expect(await service.api.post(`${path}/cancel`)).toMatchObject({
    status: 200,
    body: { data: { phase: 'refund', termination: { reason: 'cancelled' } } },
  });
  const ended = errorResponse(400, 'VAULT_ALREADY_ENDED');
  expect(await service.api.post(`${path}/cancel`)).toMatchObject(ended);
  const asset = { policy_id: policyId, asset_name: 'Boat', wallet_address: address };
  expect(await service.api.post(`${path}/assets`, asset)).toMatchObject(ended);
  expect(await service.api.post(`${path}/investments`, { walletAddress: address, lovelace: 5_000_000 })).toMatchObject(
    ended,
  );
});

/** A base address of the test network: 108 characters. */
const longestAddress = (keyHash: string) =>
  bech32.encode('addr_test', bech32.toWords(Buffer.from(`00${keyHash}${keyHash}`, 'hex')), 128);

test('two whitelists of a thousand wallets each fit one request', async () => {
  await using service = await apiService();
  const admin = newWallet();
  const wallets = (first: number) =>
    Array.from({ length: 1_000 }, (_, index) => longestAddress((first + index).toString(16).padStart(56, '0')));
  const body = {
    ...vaultBody(admin.address),
    vault_type: 'private',
    privacy_type: 'PRIVATE',
    contributor_whitelist: wallets(1),
    investor_whitelist: wallets(5_000),
  };
  expect(await service.api.post('/vaults', body)).toMatchObject({ status: 201 });
});

test('a whitelist of addresses that trapped the serialization library is refused, and the next vault is created', async () => {
  await using service = await apiService();
  const admin = newWallet();
  const hostile = Array.from({ length: 1_000 }, () => 'addr_test1stvpskhlllll7kzmhyc');
  const refused = await service.api.post('/vaults', { ...vaultBody(admin.address), contributor_whitelist: hostile });
  expect(refused).toMatchObject(errorResponse(400, 'INVALID_VAULT_PARAMS'));
  expect(await service.api.post('/vaults', vaultBody(admin.address))).toMatchObject({ status: 201 });
});
