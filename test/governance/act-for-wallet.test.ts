import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { formatApiKey, hashSecret, parseApiKey } from '../../src/access/api-keys.ts';
import { insertApiKey } from '../../src/access/queries/api-keys.ts';
import type { JsonSchema } from '../contract/json-schema.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { sharedDocument } from '../stack/shared-document.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { voteBody, proposalBody, propose } from './staked-vault.ts';
import { seedStakes } from './seed-stakes.ts';
import { makeStakeFinal, vaultWithTokens } from './vault-with-tokens.ts';
import { errorResponse } from '../stack/error-response.ts';

const resources = ['asset', 'investment', 'stake', 'proposal', 'endorsement', 'vote', 'execution'];

/** An API key with every permission on these resources that may not act on behalf of wallets. */
async function keyWithoutOnBehalf({ db }: ApiService): Promise<string> {
  const text = formatApiKey({ environment: 'test', id: randomBytes(16).toString('hex'), secret: randomBytes(32) });
  const { id, environment, secret } = parseApiKey(text)!;
  const permissions = resources.map((resource) => ({ resource, action: '*' as const }));
  const stored = { id, environment, name: 'all', secretHash: hashSecret(secret), roles: [], permissions };
  await insertApiKey(db, { ...stored, createdBy: 'test', createdAt: new Date() });
  return text;
}

test('a key with every permission that may not act on behalf of wallets is refused each request made for a wallet', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const [wallet, other] = [newWallet(), newWallet()];
  const { address } = wallet;
  const vaultId = await vaultWithTokens(service, wallet);
  const seeds = [
    { wallet: address, tokens: 60_000 },
    { wallet: other.address, tokens: 20_000 },
  ];
  await seedStakes(sql, vaultId, seeds, new Date(Date.now() - 60_000));
  const staking = { walletAddress: address, amount: 10 };
  const { id: stakeId } = (await api.post<{ data: { id: string } }>(`/vaults/${vaultId}/stakes`, staking)).body.data;
  await makeStakeFinal(service, stakeId);
  const openProposal = await propose(service, vaultId, address);
  const body = proposalBody(other.address);
  const { proposal_id: draft } = (await api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, body)).body;
  const { vote_id: voteId } = (
    await api.post<{ vote_id: string }>(`/proposals/${openProposal}/votes`, voteBody(other.address, 5, 'yes'))
  ).body;

  const withKey = { key: await keyWithoutOnBehalf(service) };
  const action = { executing_user: address, cosigners: [address], action: { type: 'liquidate', details: {} } };
  const asset = { policy_id: 'ab'.repeat(28), asset_name: 'Boat', wallet_address: address };
  const requests = [
    api.post(`/vaults/${vaultId}/assets`, asset, withKey),
    api.post(`/vaults/${vaultId}/investments`, { walletAddress: address, lovelace: 5_000_000 }, withKey),
    api.post(`/vaults/${vaultId}/stakes`, staking, withKey),
    api.post(`/vaults/${vaultId}/stakes`, { amount: 10 }, withKey),
    api.del(`/stakes/${stakeId}`, undefined, withKey),
    api.post(`/vaults/${vaultId}/proposals`, proposalBody(address), withKey),
    api.post(`/proposals/${draft}/endorsements`, { walletAddress: address }, withKey),
    api.post(`/proposals/${draft}/endorsements`, {}, withKey),
    api.del(`/proposals/${draft}`, undefined, withKey),
    api.post(`/proposals/${openProposal}/votes`, voteBody(address, 5, 'yes'), withKey),
    api.del(`/votes/${voteId}`, undefined, withKey),
    api.post(`/proposals/${openProposal}/executions`, action, withKey),
    api.post(`/proposals/${openProposal}/execute`, action, withKey),
  ];
  for (const answer of await Promise.all(requests)) {
    expect(answer).toMatchObject(errorResponse(403, 'INSUFFICIENT_PERMISSIONS'));
  }
});

/** Names of the fields that say for whom a request is made. */
const acting = ['walletAddress', 'wallet_address', 'proposer', 'executing_user'];

test('a session that names another wallet is refused, in every operation and with every permission', async () => {
  await using service = await apiService();
  const { api } = service;
  const [wallet, { address: other }] = [signingWallet(), newWallet()];
  const vaultId = await vaultWithTokens(service, newWallet());
  await seedStakes(service.sql, vaultId, [{ wallet: other, tokens: 60_000 }], new Date(Date.now() - 60_000));
  const proposal = `/proposals/${await propose(service, vaultId, other)}`;
  const vault = `/vaults/${vaultId}`;
  const asset = { policy_id: 'ab'.repeat(28), asset_name: 'Boat', wallet_address: other };
  const deposit = { walletAddress: other, assets: [{ policyId: 'ab'.repeat(28), assetName: 'Boat' }] };
  const action = { executing_user: other, cosigners: [other], action: { type: 'liquidate', details: {} } };
  const requests: Record<string, readonly [path: string, body: object]> = {
    createVault: ['/vaults', vaultBody(other)],
    addAsset: [`${vault}/assets`, asset],
    createDeposit: [`${vault}/deposits`, deposit],
    invest: [`${vault}/investments`, { walletAddress: other, lovelace: 5_000_000 }],
    stake: [`${vault}/stakes`, { walletAddress: other, amount: 10 }],
    claim: [`${vault}/claims`, { walletAddress: other, amount: 10 }],
    createProposal: [`${vault}/proposals`, proposalBody(other)],
    endorseProposal: [`${proposal}/endorsements`, { walletAddress: other }],
    castVote: [`${proposal}/votes`, voteBody(other, 5, 'yes')],
    freezeExecution: [`${proposal}/executions`, action],
    executeProposal: [`${proposal}/execute`, action],
  };
  expect(Object.keys(requests).toSorted()).toEqual(operationsThatName(acting).toSorted());

  const { headers } = await logIn(service, wallet, service.adminKey);
  for (const [operation, [path, body]] of Object.entries(requests)) {
    const answer = await api.post(path, body, { headers });
    expect({ operation, ...answer }).toMatchObject({ operation, ...errorResponse(403, 'INSUFFICIENT_PERMISSIONS') });
  }
  expect(await api.post('/vaults', vaultBody(wallet.address), { headers })).toHaveProperty('status', 201);
});

test('without a session a key names any wallet as the admin of a vault, and the audit log names the key', async () => {
  await using service = await apiService();
  const { address } = newWallet();
  const made = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(address));
  expect(made).toHaveProperty('status', 201);
  const { id } = parseApiKey(service.adminKey)!;
  expect(await service.api.get(`/audit-log?resourceId=${made.body.vault_id}&action=VAULT_CREATED`)).toMatchObject({
    body: { data: { entries: [{ actor: { type: 'API_KEY', id } }] } },
  });
});

/** The published operations whose body has one of these fields. */
function operationsThatName(fields: readonly string[]): string[] {
  const { paths, components } = sharedDocument();
  const hasOne = (schema: JsonSchema): boolean => {
    const name = schema.$ref?.split('/').at(-1);
    if (name !== undefined) return hasOne(components.schemas[name] ?? {});
    const properties = Object.entries(schema.properties ?? {});
    return properties.some(([field, inner]) => fields.includes(field) || hasOne(inner));
  };
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ requestBody }) => hasOne(requestBody?.content['application/json']?.schema ?? {}))
    .map(({ operationId }) => operationId);
}
