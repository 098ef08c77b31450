import { afterEach, beforeAll, afterAll, expect, test } from '@jest/globals';
import { person } from '../vault-lifecycle/participants.ts';
import { pausedAreas } from '../../src/operations/rules.ts';
import { lockedVault, propose, proposalBody, voteBody } from '../governance/staked-vault.ts';
import { type ApiService, apiService } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import { errorResponse } from '../stack/error-response.ts';

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());
afterEach(() => service.sql.query('delete from pauses'));

const reason = 'The price feed is being repaired';
const paused = (area: string) => errorResponse(400, 'OPERATION_PAUSED', { area, reason });
const pause = (area: string) => service.api.put(`/pauses/${area}`, { reason });

interface Begun {
  readonly transaction: { readonly tx_hash: string; readonly unsigned_tx: string };
}

test('a pause stops new deposits and says why; what was begun continues, and its end opens them again', async () => {
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
  const deposit = { assets: [{ policyId: owner.policyId, assetName: 'Boat' }], walletAddress: owner.address };
  expect(await service.api.post(`${path}/deposits`, deposit)).toMatchObject(paused('contribution'));
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

test('while everything is paused, votes, endorsements, executions, returns and ends of vaults continue', async () => {
  const owner = await service.fundedWallet({ Raft: '1' });
  const investor = await service.fundedWallet();
  const made = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(owner.address));
  const path = `/vaults/${made.body.vault_id}`;
  const asset = { policy_id: owner.policyId, asset_name: 'Raft', wallet_address: owner.address };
  const added = await service.api.post<{ asset_id: string }>(`${path}/assets`, asset);
  const investment = { walletAddress: investor.address, lovelace: 5_000_000 };
  const invested = await service.api.post<{ data: { investmentId: string } }>(`${path}/investments`, investment);
  const { vaultId, voters, proposer } = await lockedVault(
    service,
    [400_000, 300_000],
    (number) => person(number + 700).address,
  );
  const voted = await propose(service, vaultId, proposer);
  const drafted = await service.api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, {
    ...proposalBody(proposer),
    governance_thresholds: { creation_threshold: 1, start_threshold: 60, vote_threshold: 60, execution_threshold: 60 },
  });
  const stakes = await service.sql.query<{ id: string }>('select id from stakes where vault_id = $1 and wallet = $2', [
    vaultId,
    voters[1],
  ]);
  for (const area of pausedAreas) expect(await pause(area)).toMatchObject({ status: 200 });

  const { api } = service;
  const [endorse, vote] = [`/proposals/${drafted.body.proposal_id}`, `/proposals/${voted}`];
  const execution = { executing_user: proposer, cosigners: [], action: { type: 'liquidate', details: {} } };
  const answers = {
    endorsement: await api.post(`${endorse}/endorsements`, { walletAddress: voters[1] }),
    vote: await api.post(`${vote}/votes`, voteBody(voters[1] ?? '', 300_000, 'yes')),
    execution: await api.post(`${vote}/executions`, execution),
    execute: await api.post(`${vote}/execute`, execution),
    unstake: await api.del(`/stakes/${stakes.rows[0]?.id ?? ''}`),
    removal: await api.del(`${path}/assets/${added.body.asset_id}`),
    takingBack: await api.del(`${path}/investments/${invested.body.data.investmentId}`),
    proposalCancel: await api.del(endorse),
    cancel: await api.post(`${path}/cancel`, {}),
  };
  const outcomes = Object.entries(answers).map(([name, { status, body }]) => {
    const { error } = body as { error?: { code: string } };
    return [name, error?.code ?? status];
  });
  expect(Object.fromEntries(outcomes)).toEqual({
    endorsement: 201,
    vote: 200,
    // Each is refused for its own reason: the vote continues, and the deposits are not signed.
    execution: 'EXECUTION_NOT_OPEN',
    execute: 'EXECUTION_NOT_OPEN',
    unstake: 'STAKE_LOCKED',
    removal: 'ASSET_NOT_LOCKED',
    takingBack: 'INVESTMENT_NOT_CONFIRMED',
    proposalCancel: 'PROPOSAL_NOT_CANCELLABLE',
    cancel: 200,
  });
});
