import { afterEach, beforeAll, afterAll, expect, test } from '@jest/globals';
import { signingWallet } from '../http/signing-wallet.ts';
import { lockedVault, proposalBody } from '../governance/staked-vault.ts';
import { type ApiService, apiService } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import { logIn } from './logged-in-wallet.ts';

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());
afterEach(() => service.sql.query('delete from pauses'));

const reason = 'The price feed is being repaired';
const paused = (area: string) => ({
  status: 400,
  body: { error: { code: 'OPERATION_PAUSED', details: { area, reason } } },
});
const pause = (area: string) => service.api.put(`/pauses/${area}`, { reason });

interface Begun {
  readonly transaction: { readonly tx_hash: string; readonly unsigned_tx: string };
}

test('a pause stops new deposits and says why; what was begun goes on, and its end opens them again', async () => {
  const owner = await service.fundedWallet({ Boat: '1' });
  const investor = await service.fundedWallet();
  const made = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(owner.address));
  const path = `/vaults/${made.body.vault_id}`;
  const asset = { policy_id: owner.policyId, asset_name: 'Boat', wallet_address: owner.address };
  const begun = await service.api.post<Begun>(`${path}/assets`, asset);
  expect(begun.status).toBe(201);
  const invest = () =>
    service.api.post(`${path}/investments`, { walletAddress: investor.address, lovelace: 5_000_000 });
  for (const area of ['creation', 'contribution', 'investment'])
    expect(await pause(area)).toMatchObject({ status: 200 });

  expect(await service.api.post('/vaults', vaultBody(owner.address))).toMatchObject(paused('creation'));
  expect(await service.api.post(`${path}/assets`, asset)).toMatchObject(paused('contribution'));
  expect(await invest()).toMatchObject(paused('investment'));
  const { tx_hash: hash, unsigned_tx: unsigned } = begun.body.transaction;
  const witnesses = { witnessSet: owner.sign(unsigned) };
  expect(await service.api.post(`/transactions/${hash}/witnesses`, witnesses)).toMatchObject({ status: 200 });
  const { body } = await service.api.get<{ data: { allowedActions: object[] } }>(path);
  expect(body.data.allowedActions).toContainEqual({ action: 'invest', allowed: false, reason: 'OPERATION_PAUSED' });
  expect((await service.api.get('/pauses')).body).toMatchObject({
    data: { pauses: [{ area: 'contribution', reason }, { area: 'creation' }, { area: 'investment' }] },
  });
  for (let times = 0; times < 2; times++)
    expect(await service.api.del('/pauses/investment')).toMatchObject({ status: 204 });
  expect(await invest()).toMatchObject({ status: 201 });
});

test('a pause of governance stops stakes and proposals', async () => {
  const { vaultId, proposer } = await lockedVault(service, [60_000]);
  await pause('governance');
  const proposed = await service.api.post(`/vaults/${vaultId}/proposals`, proposalBody(proposer));
  expect(proposed).toMatchObject(paused('governance'));
  const staked = await service.api.post(`/vaults/${vaultId}/stakes`, { walletAddress: proposer, amount: 1 });
  expect(staked).toMatchObject(paused('governance'));
});

test('only an ADMIN pauses, and the audit log says who did', async () => {
  const visitor = await logIn(service, signingWallet());
  const refused = { status: 403, body: { error: { code: 'INSUFFICIENT_PERMISSIONS' } } };
  expect(await service.api.put('/pauses/creation', { reason }, visitor)).toMatchObject(refused);
  expect(await service.api.del('/pauses/creation', {}, visitor)).toMatchObject(refused);
  expect(await service.api.get('/pauses', visitor)).toMatchObject({ status: 200 });
  expect(await service.api.put('/pauses/everything', { reason })).toMatchObject({ status: 400 });
  await pause('creation');
  const { rows } = await service.sql.query(
    `select actor_type, metadata from audit_log where action = 'PAUSE_SET' and resource_id = 'creation'
     order by recorded desc limit 1`,
  );
  expect(rows).toEqual([{ actor_type: 'API_KEY', metadata: { reason } }]);
});
