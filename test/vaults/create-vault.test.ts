import { expect, test } from '@jest/globals';
import { bech32 } from '@scure/base';
import { defaultImage } from '../../src/cardano/tokens/picture.ts';
import { runCommand } from '../../src/operations/commands/commands.ts';
import { publishVaultKeys } from '../../src/operations/operator-funds.ts';
import { canaries } from '../secrets/canaries.ts';
import { errorResponse } from '../stack/error-response.ts';
import { followerOf } from '../follower/follower-service.ts';
import { newVault } from '../follower/sent-deposit.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { apiService, newWallet } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import { logIn } from './logged-in-wallet.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

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
  const vaultId = await createVault(service, address);
  const path = `/vaults/${vaultId}`;
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

/** The unsigned transaction that creates a new vault, in hex. */
async function creationOf(service: Awaited<ReturnType<typeof apiService>>): Promise<string> {
  const vaultId = await createVault(service, newWallet().address);
  const rows = await service.sql.run<{ cbor: string }>`select unsigned_cbor as cbor from chain_transactions
      where kind = 'create_vault' and vault_id = ${vaultId}`;
  return rows[0]?.cbor ?? '';
}

const hexOf = (text: string) => Buffer.from(text).toString('hex');

test('the NFT of a vault pins the picture that the service serves', async () => {
  await using service = await apiService();
  const served = await service.root.get<string>('/images/vault.svg');
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8']);
  const picture = Buffer.from(served.body).toString('base64');
  expect(`data:image/svg+xml;base64,${picture}`).toBe(defaultImage);
  expect(await creationOf(service)).toContain(hexOf(defaultImage.slice(0, 64)));
});

test('a deployment may have a picture of its own', async () => {
  const image = 'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi';
  await using service = await apiService({ VAULT_IMAGE: image });
  expect(await creationOf(service)).toContain(hexOf(image.slice(0, 64)));
});

test('after a restored backup new vaults get keys that no vault of after it can have', async () => {
  await using service = await apiService();
  const { db, keys, sql } = service;
  const indexes = async (condition: string) => {
    const query = `select key_index as index from vault_keys where ${condition} order by key_index`;
    return (await sql.query<{ index: number }>(query)).rows.map(({ index }) => index);
  };
  const before = await newVault(service);
  const [ofBefore] = await indexes(`vault_id = '${before}'`);
  const free = await indexes('vault_id is null');
  const last = free.at(-1) ?? -1;
  const skipped = await runCommand({ ...followerOf(service).context, ledger: null }, ['keys', 'skip']);
  expect(skipped).toMatchObject({ ok: true, output: expect.stringContaining(` ${free.length - 1} keys`) });
  await publishVaultKeys(db, keys);
  const vaultId = await newVault(service);
  expect(await indexes(`vault_id = '${vaultId}'`)).toEqual([last]);
  expect(await indexes(`key_index <= ${last}`)).toEqual([ofBefore, last]);
  expect((await indexes('vault_id is null')).length).toBeGreaterThan(100);
});

const first = 'first@harbour.example';
const second = 'second@harbour.example';

test("the email of a vault's admin is changed and erased by the admin and by ADMIN only, and nothing else keeps it", async () => {
  await using service = await apiService();
  const [admin, stranger] = [signingWallet(), signingWallet()];
  const body = { ...vaultBody(admin.address), admin_user: { wallet_address: admin.address, email: first } };
  const made = await service.api.post<{ vault_id: string }>('/vaults', body);
  const vault = `/vaults/${made.body.vault_id}`;
  const path = `${vault}/admin-email`;
  const [asAdmin, asStranger] = [await logIn(service, admin), await logIn(service, stranger)];
  const stored = async () =>
    (await service.api.get<{ data: { adminEmail: string | null } }>(vault)).body.data.adminEmail;
  const denied = errorResponse(403, 'INSUFFICIENT_PERMISSIONS');

  for (const reading of [1, 2]) expect([reading, await stored()]).toEqual([reading, first]);
  expect(await service.api.put(path, { email: second }, asStranger)).toMatchObject(denied);
  expect(await service.api.del(path, undefined, asStranger)).toMatchObject(denied);
  const keyed = { ...asAdmin, headers: { ...asAdmin.headers, 'idempotency-key': 'once' } };
  expect(await service.api.put(path, { email: second }, keyed)).toMatchObject({ status: 200 });
  expect(await stored()).toBe(second);
  expect((await service.api.get(vault, asAdmin)).body).not.toHaveProperty('data.adminEmail');
  expect(await service.api.put(path, { email: 'nobody' })).toMatchObject({
    status: 400,
    body: { error: { details: { errors: [{ field: 'email' }] } } },
  });

  expect(await service.api.put(path, { email: first })).toMatchObject({ status: 200 });
  expect(await service.api.del(path, undefined, asAdmin)).toMatchObject({ status: 204 });
  expect(await service.api.del(path)).toMatchObject({ status: 204 });
  expect(await stored()).toBeNull();
  expect(await everyRow(service.sql)).not.toMatch(/first@harbour|second@harbour/);
  const audited = await service.sql.query<{ action: string }>(
    "select action from audit_log where action like '%EMAIL%' order by recorded",
  );
  expect(audited.rows.map(({ action }) => action)).toEqual([
    'VAULT_ADMIN_EMAIL_CHANGED',
    'VAULT_ADMIN_EMAIL_CHANGED',
    'VAULT_ADMIN_EMAIL_ERASED',
    'VAULT_ADMIN_EMAIL_ERASED',
  ]);

  await service.stopApi();
  const reads = await service.sql.run`select * from audit_log where action = 'PERSONAL_DATA_READ'`;
  expect(reads).toEqual([
    expect.objectContaining({
      ...{ actor_type: 'API_KEY', resource_type: 'vault', resource_id: made.body.vault_id },
      metadata: expect.objectContaining({ count: 3 }),
    }),
  ]);
});

test('the email of a vault that the caller may not read cannot be reached', async () => {
  await using service = await apiService();
  const body = { ...vaultBody(signingWallet().address), vault_type: 'private', privacy_type: 'private' };
  const made = await service.api.post<{ vault_id: string }>('/vaults', body);
  const stranger = await logIn(service, signingWallet());
  for (const id of [made.body.vault_id, '01890a5d-ac96-774b-bcce-b302099a8057']) {
    expect(await service.api.del(`/vaults/${id}/admin-email`, undefined, stranger)).toMatchObject(
      errorResponse(404, 'VAULT_NOT_FOUND'),
    );
  }
});

/** The content of every table, as text. */
async function everyRow(sql: Awaited<ReturnType<typeof apiService>>['sql']): Promise<string> {
  const tables = await sql.query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  );
  expect(tables.rows.length).toBeGreaterThan(20);
  const texts = tables.rows.map(async ({ name }) => JSON.stringify((await sql.query(`select * from "${name}"`)).rows));
  return (await Promise.all(texts)).join('\n');
}
