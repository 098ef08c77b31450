import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { execute, executeBody } from '../governance/execution-requests.ts';
import { lockedVault, propose } from '../governance/staked-vault.ts';
import { addCustodyNft, createPassedProposal, vaultWithCustody } from '../governance/vault-with-custody.ts';
import { nativeGlobal } from '../stack/native-global.ts';
import { type ApiService, apiService, newWallet } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

let service: ApiService;
const fetched = jest.spyOn(nativeGlobal, 'fetch');
beforeAll(async () => {
  service = await apiService();
});
afterAll(async () => {
  fetched.mockRestore();
  await service[Symbol.asyncDispose]();
});

const urls = () => fetched.mock.calls.map(([url]) => url as string);

/** The requests to the ledger about wallets, custody and assets. */
const asked = () => urls().filter((url) => /v0\/(addresses|assets)/.test(url));

async function openVault(change = 'name = name'): Promise<string> {
  const vaultId = await createVault(service, newWallet().address);
  await service.sql.query(`update vaults set ${change} where id = $1`, [vaultId]);
  return vaultId;
}

const policy = 'ab'.repeat(28);
const asset = (wallet: string) => ({
  policy_id: policy,
  asset_name: 'Quay',
  valuation_method: 'floor_price',
  wallet_address: wallet,
});
const investment = (walletAddress: string, lovelace = 5_000_000) => ({ walletAddress, lovelace });

test('a deposit that Postgres can refuse asks the ledger nothing', async () => {
  const wallet = newWallet().address;
  const others = `array['${newWallet().address}']`;
  const closed = await openVault();
  await service.sql.run`update windows set status = 'COMPLETED' where vault_id = ${closed}`;
  const ended = await openVault("failed_because = 'cancelled'");
  const listed = await openVault(
    `type = 'SEMI_PRIVATE', contributor_whitelist = ${others}, investor_whitelist = ${others}, investor_list_enabled = true`,
  );
  const full = await openVault('counted_assets = max_assets');
  const policies = await openVault(`asset_whitelist = array['${'cd'.repeat(28)}']`);
  const open = await openVault();
  const requests: [vaultId: string, path: string, body: object, code: string][] = [
    [randomUUID(), 'assets', asset(wallet), 'VAULT_NOT_FOUND'],
    [closed, 'assets', asset(wallet), 'ASSET_WINDOW_CLOSED'],
    [ended, 'assets', asset(wallet), 'VAULT_ALREADY_ENDED'],
    [listed, 'assets', asset(wallet), 'CONTRIBUTOR_NOT_WHITELISTED'],
    [full, 'assets', asset(wallet), 'MAX_ASSETS_REACHED'],
    [policies, 'assets', asset(wallet), 'ASSET_NOT_WHITELISTED'],
    [randomUUID(), 'investments', investment(wallet), 'VAULT_NOT_FOUND'],
    [closed, 'investments', investment(wallet), 'INVESTMENT_WINDOW_CLOSED'],
    [ended, 'investments', investment(wallet), 'VAULT_ALREADY_ENDED'],
    [listed, 'investments', investment(wallet), 'INVESTOR_NOT_WHITELISTED'],
    [open, 'investments', investment(wallet, 1), 'INVESTMENT_TOO_SMALL'],
  ];
  fetched.mockClear();
  for (const [vaultId, path, body, code] of requests) {
    const refused = await service.api.post<{ error: { code: string } }>(`/vaults/${vaultId}/${path}`, body);
    expect({ path, code: refused.body.error.code }).toEqual({ path, code });
  }
  expect(asked()).toEqual([]);
});

test('an execution that Postgres can refuse asks the ledger nothing', async () => {
  const { vaultId, proposer } = await lockedVault(service, [60_000]);
  const proposalId = await propose(service, vaultId, proposer);
  fetched.mockClear();
  const action = { type: 'liquidate', details: {} };
  const body = { executing_user: proposer, cosigners: [], action };
  for (const path of ['executions', 'execute']) {
    const refused = await service.api.post(`/proposals/${proposalId}/${path}`, body);
    expect(refused).toMatchObject({ body: { error: { code: 'EXECUTION_NOT_OPEN' } } });
  }
  expect(asked()).toEqual([]);
});

test('a repeated request that has its response asks the ledger nothing', async () => {
  const vaultId = await openVault();
  const wallet = await service.fundedWallet();
  const headers = { 'idempotency-key': randomUUID() };
  const invest = () => service.api.post(`/vaults/${vaultId}/investments`, investment(wallet.address), { headers });
  const first = await invest();
  expect(first).toMatchObject({ status: 201 });
  expect(asked()).not.toEqual([]);
  fetched.mockClear();
  expect(await invest()).toMatchObject({ status: 201, body: first.body as object });
  expect(asked()).toEqual([]);
});

test('a deposit of assets that the wallet does not hold asks for no supply and no price', async () => {
  const vaultId = await openVault();
  const wallet = newWallet().address;
  fetched.mockClear();
  expect(await service.api.post(`/vaults/${vaultId}/assets`, asset(wallet))).toMatchObject({
    body: { error: { code: 'ASSET_NOT_IN_WALLET', details: { wallet } } },
  });
  expect(asked()).not.toEqual([]);
  expect(urls().filter((url) => url.includes(policy))).toEqual([]);
});

test('a stranger who executes a sale at an open price asks outside for nothing', async () => {
  const vault = await vaultWithCustody(service);
  const villa = await addCustodyNft(service, vault);
  const id = await createPassedProposal(service, vault, { action_type: 'sell_asset', affected_assets: [villa] });
  const details = { ...villa, price: 500_000_000, buyer_address: vault.big.address };
  const sale = { type: 'sell_asset', details };
  fetched.mockClear();
  const stranger = await execute(service, id, executeBody(newWallet(), [vault.big, vault.middle], sale));
  expect(stranger).toMatchObject({ body: { error: { code: 'EXECUTOR_NOT_ELIGIBLE' } } });
  expect(urls().filter((url) => !url.includes('/api/v1/'))).toEqual([]);
});

test('a vault that may not be created asks the ledger nothing', async () => {
  fetched.mockClear();
  const body = vaultBody(newWallet().address);
  expect(await service.api.post('/vaults', { ...body, asset_window: { duration: '00:00:01' } })).toHaveProperty(
    'status',
    400,
  );
  await service.api.put('/pauses/creation', { reason: 'test' });
  expect(await service.api.post('/vaults', body)).toMatchObject({ body: { error: { code: 'OPERATION_PAUSED' } } });
  await service.api.del('/pauses/creation');
  expect(asked()).toEqual([]);
});
