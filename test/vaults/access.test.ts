import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { formatApiKey, hashSecret, parseApiKey } from '../../src/access/api-keys.ts';
import type { Permission } from '../../src/access/rules.ts';
import { insertApiKey } from '../../src/access/queries/api-keys.ts';
import { eventClient } from '../events/event-client.ts';
import { commitEvents } from '../events/record-events.ts';
import { seedStakes } from '../governance/seed-stakes.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { until } from '../stack/until.ts';
import { type ApiService, apiService } from './api-service.ts';
import { logIn } from './logged-in-wallet.ts';
import { vaultBody } from './create-vault-body.ts';
import { errorResponse } from '../stack/error-response.ts';

const keyFor = (service: ApiService, ...roles: string[]) => keyWith(service, { roles });

async function keyWith(
  service: ApiService,
  grant: { readonly roles: readonly string[]; readonly permissions?: readonly Permission[] },
): Promise<string> {
  const text = formatApiKey({ environment: 'test', id: randomBytes(16).toString('hex'), secret: randomBytes(32) });
  const { id, environment, secret } = parseApiKey(text)!;
  const row = { id, environment, name: 'app', secretHash: hashSecret(secret), ...grant, createdBy: 'test' };
  await insertApiKey(service.db, { ...row, createdAt: new Date() });
  return text;
}

test('a private vault is hidden from other keys: reads of it and its transactions return 404, lists omit it', async () => {
  await using service = await apiService();
  const { address } = await service.fundedWallet();
  const body = { ...vaultBody(address), vault_type: 'private', privacy_type: 'private' };
  const made = await service.api.post<{ vault_id: string; transaction: { tx_hash: string } }>('/vaults', body);
  const { vault_id: id, transaction } = made.body;
  const key = await keyFor(service, 'VAULT_CREATOR');

  expect(await service.api.get(`/vaults/${id}`)).toMatchObject({ status: 200 });
  expect(await service.api.get(`/vaults/${id}`, { key })).toMatchObject(errorResponse(404, 'VAULT_NOT_FOUND'));
  expect(await service.api.get(`/vaults/${id}/valuation`, { key })).toMatchObject(
    errorResponse(404, 'VAULT_NOT_FOUND'),
  );
  expect(await service.api.get(`/vaults/${id}/quote?lovelace=5`, { key })).toMatchObject(
    errorResponse(404, 'VAULT_NOT_FOUND'),
  );
  const hash = transaction.tx_hash;
  expect(await service.api.get(`/transactions/${hash}`, { key })).toMatchObject(
    errorResponse(404, 'TRANSACTION_NOT_FOUND'),
  );
  const list = await service.api.get('/vaults', { key });
  expect(list.body).toMatchObject({ data: { vaults: [] }, metadata: { pagination: { total: 0 } } });
});

test('a key that may rotate vaults learns nothing of one that it may not read, and reads the rotations of others in pages', async () => {
  await using service = await apiService();
  const { address } = signingWallet();
  const permissions: Permission[] = [{ resource: 'rotation', action: '*' }];
  const key = await keyWith(service, { roles: ['VAULT_CREATOR'], permissions });
  const closed = { ...vaultBody(address), vault_type: 'private', privacy_type: 'private' };
  const [hidden, open] = [closed, vaultBody(address)].map((body) =>
    service.api.post<{ vault_id: string }>('/vaults', body),
  );
  const rotationsOf = async (made: typeof hidden) => `/vaults/${(await made)?.body.vault_id}/rotations`;
  const reason = { reason: 'Yearly' };
  const notFound = errorResponse(404, 'VAULT_NOT_FOUND');
  expect(await service.api.post(await rotationsOf(hidden), reason, { key })).toMatchObject(notFound);
  expect(await service.api.get(await rotationsOf(hidden), { key })).toMatchObject(notFound);

  const path = await rotationsOf(open);
  await service.sql.run`update vaults set status = 'LOCKED', locked_at = now()`;
  const announced: string[] = [];
  for (let time = 0; time < 3; time += 1) {
    const { body } = await service.api.post<{ data: { id: string } }>(path, reason, { key });
    announced.unshift(body.data.id);
    expect(await service.api.del(`${path}/${body.data.id}`, undefined, { key })).toMatchObject({ status: 204 });
  }
  type Listed = { data: { rotations: { id: string }[] }; metadata: { pagination: { next: string; total: number } } };
  const first = await service.api.get<Listed>(`${path}?limit=2`, { key });
  const { next, total } = first.body.metadata.pagination;
  const second = await service.api.get<Listed>(`${path}?limit=2&after=${next}`, { key });
  expect(total).toBe(3);
  expect([first, second].flatMap(({ body }) => body.data.rotations.map(({ id }) => id))).toEqual(announced);
});

test('a private vault is read by its admin and by a wallet that has staked in it, and by no stranger', async () => {
  await using service = await apiService();
  const [admin, stranger] = [signingWallet(), signingWallet()];
  const open = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(admin.address));
  const body = { ...vaultBody(admin.address), vault_type: 'private', privacy_type: 'private' };
  const closed = await service.api.post<{ vault_id: string }>('/vaults', body);
  const [asAdmin, asStranger] = [await logIn(service, admin), await logIn(service, stranger)];
  await service.sql.run`update vaults set status = 'ACTIVE'`;
  const read = async ({ body: { vault_id: id } }: typeof open, caller: typeof asAdmin) =>
    (await service.api.get(`/vaults/${id}`, caller)).status;

  expect(await read(open, asStranger)).toBe(200);
  expect(await read(closed, asAdmin)).toBe(200);
  expect(await read(closed, asStranger)).toBe(404);
  await seedStakes(service.sql, closed.body.vault_id, [{ wallet: stranger.address, tokens: 1 }], new Date());
  expect(await read(closed, asStranger)).toBe(200);
});

test('a wallet that is no longer listed reads a private vault no longer, once what it only asked for has ended', async () => {
  await using service = await apiService();
  const { api, sql, db } = service;
  const [admin, member] = [signingWallet(), signingWallet()];
  const assets = [{ assetNameHex: Buffer.from('Boat').toString('hex'), quantity: '1' }];
  const funds = { address: member.address, lovelace: '100000000' };
  const { policyId } = await service.ledger.faucet({ ...funds, assets });
  await service.ledger.faucet({ ...funds, assets: [] });
  await service.ledger.mine();
  const lists = { contributor_whitelist: [member.address], investor_whitelist: [member.address] };
  const body = { ...vaultBody(admin.address), vault_type: 'private', privacy_type: 'private', ...lists };
  const vaultId = (await api.post<{ vault_id: string }>('/vaults', body)).body.vault_id;
  const session = await logIn(service, member);
  const asset = { policy_id: policyId, asset_name: 'Boat' };
  expect(await api.post(`/vaults/${vaultId}/assets`, asset, session)).toHaveProperty('status', 201);
  const investment = { lovelace: 5_000_000 };
  expect(await api.post(`/vaults/${vaultId}/investments`, investment, session)).toHaveProperty('status', 201);
  await sql.run`update vaults set contributor_whitelist = '{}', investor_whitelist = '{}'`;
  const token = session.headers.authorization.replace('Bearer ', '');
  using client = eventClient(service.url, { apiKey: session.key, token });
  await client.connected();
  expect(await client.subscribe({ vaultId })).toHaveProperty('status', 'success');

  await sql.run`update assets set status = 'RELEASED', release_reason = 'expired'`;
  const asked = { vaultId, actor: member.address };
  await commitEvents(db, 1, { ...asked, type: 'ASSET_ADD_EXPIRED' });
  await until(() => client.received.length > 0, { what: 'the end of the asset' });
  expect(await api.get(`/vaults/${vaultId}`, session)).toHaveProperty('status', 200);

  await sql.run`update investments set status = 'EXPIRED', release_reason = 'expired'`;
  await commitEvents(db, 1, { ...asked, type: 'INVESTMENT_EXPIRED' });
  await until(() => client.ended.length > 0, { what: 'the subscription has ended' });
  expect(client.ended).toEqual([{ name: 'unsubscribed', code: 'VAULT_NOT_FOUND' }]);
  expect(await api.get(`/vaults/${vaultId}`, session)).toMatchObject(errorResponse(404, 'VAULT_NOT_FOUND'));
  expect(await api.get('/vaults', session)).toMatchObject({ body: { data: { vaults: [] } } });
});

test('a refused caller learns which permission is required, also when the vault does not exist', async () => {
  await using service = await apiService();
  const { address } = await service.fundedWallet({});
  const creator = await keyFor(service, 'VAULT_CREATOR');
  const voter = await keyFor(service, 'VOTER');
  const { body } = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(address), { key: creator });
  const refusal = (details: object) => ({ status: 403, body: { error: { details } } });
  for (const id of [body.vault_id, '01890a5d-ac96-774b-bcce-b302099a8057']) {
    expect(await service.api.post(`/vaults/${id}/cancel`, {}, { key: creator })).toMatchObject(
      refusal({ required: 'session of the wallet that it belongs to, or permission vault:UPDATE' }),
    );
    expect(await service.api.get(`/vaults/${id}`, { key: voter })).toMatchObject(
      refusal({ required: 'session of a wallet, or permission vault:READ', heldOnlyWhere: [{ status: 'ACTIVE' }] }),
    );
  }
});

test('a key that may read some vaults lists those only', async () => {
  await using service = await apiService();
  const voter = { key: await keyFor(service, 'VOTER') };
  const { address } = signingWallet();
  expect(await service.api.post('/vaults', vaultBody(address))).toHaveProperty('status', 201);
  expect(await service.api.get('/vaults', voter)).toMatchObject({ body: { data: { vaults: [] } } });
  await service.sql.run`update vaults set status = 'ACTIVE'`;
  expect(await service.api.get('/vaults', voter)).toMatchObject({ body: { metadata: { pagination: { total: 1 } } } });
});

test('a transaction is read by those who may read its vault and by the wallets that sign it; its facts can be verified by anyone', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const { address } = await service.fundedWallet();
  type Made = { vault_id: string; transaction: { tx_hash: string } };
  const { vault_id: id, transaction } = (await api.post<Made>('/vaults', vaultBody(address))).body;
  const allowed = { type: 'INVESTOR', operation: 'ADD', addresses: [address] };
  const changed = await api.patch<{ data: { transaction: { proof: string } } }>(`/vaults/${id}/allowlist`, allowed);
  const proof = changed.body.data.transaction.proof.replace('/api/v1', '');
  const wallet = signingWallet();
  const session = await logIn(service, wallet);
  const [voter, withoutRoles] = [{ key: await keyFor(service, 'VOTER') }, { key: await keyFor(service) }];
  const change = (table: string, change: string) => sql.query(`update ${table} set ${change}`);
  const seenBy = async (as: object, query = `vaultId=${id}`) => {
    const list = await api.get<{ data: { transactions: { hash: string }[] } }>(`/transactions?${query}`, as);
    const { status } = await api.get(`/transactions/${transaction.tx_hash}`, as);
    return [status, list.body.data.transactions.some(({ hash }) => hash === transaction.tx_hash)];
  };
  const vaultsSeenBy = async (as: object) => {
    const { body } = await api.get<{ data: { vaults: object[] } }>(`/wallets/${address}/vaults`, as);
    return body.data.vaults.length;
  };
  expect(await vaultsSeenBy(voter)).toBe(0);

  expect(await api.get(`/vaults/${id}`, voter)).toMatchObject({ status: 403 });
  expect([await seenBy(voter), await seenBy(withoutRoles)]).toEqual([
    [404, false],
    [404, false],
  ]);
  expect(await seenBy(session)).toEqual([200, true]);
  expect(await api.get(proof, withoutRoles)).toMatchObject({ status: 200 });

  await change('vaults', "status = 'ACTIVE'");
  expect([await seenBy(voter), await seenBy(withoutRoles)]).toEqual([
    [200, true],
    [404, false],
  ]);

  expect(await vaultsSeenBy(voter)).toBe(1);

  await change('vaults', "type = 'PRIVATE'");
  expect([await seenBy(voter), await seenBy(session)]).toEqual([
    [404, false],
    [404, false],
  ]);
  expect(await api.get(proof, withoutRoles)).toMatchObject({ status: 404 });
  await change(
    'chain_transactions',
    `kind = 'execute', signer = 'wallet', required_signers = array['${wallet.keyHash}']`,
  );
  expect(await seenBy(session)).toEqual([200, true]);
  expect(await seenBy(session, `wallet=${wallet.address}`)).toEqual([200, true]);
  expect(await seenBy(session, `wallet=${address}`)).toEqual([200, false]);
  expect(await api.get('/transactions?wallet=nobody', session)).toMatchObject({ body: { data: { transactions: [] } } });
});
