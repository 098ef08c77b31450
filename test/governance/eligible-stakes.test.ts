import { expect, test } from '@jest/globals';
import { apiService } from '../vaults/api-service.ts';
import { lockedVault, proposalBody, propose } from './staked-vault.ts';
import { seedStakes } from './seed-stakes.ts';
import { errorResponse } from '../stack/error-response.ts';

test('a stake that its owner may reclaim alone counts towards no threshold, endorsement or proposal', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [20_000, 40_000, 30_000]);
  const [, bob = '', carol = ''] = voters;
  const path = `/vaults/${vaultId}/proposals`;
  const { proposal_id: draft } = (await api.post<{ proposal_id: string }>(path, proposalBody(proposer))).body;
  const makeReclaimable = (wallet: string) =>
    sql.query('update stakes set owner_alone_from = now() where vault_id = $1 and wallet = $2', [vaultId, wallet]);
  const thresholds = async () =>
    (await api.get<{ data: { thresholds: unknown } }>(`/proposals/${draft}`)).body.data.thresholds;

  expect(await thresholds()).toMatchObject({ creation: { actual: 2 }, start: { actual: 2 } });
  await makeReclaimable(proposer);
  expect(await thresholds()).toMatchObject({ creation: { actual: 0 }, start: { actual: 0 } });
  expect(await api.post(path, proposalBody(proposer))).toMatchObject(errorResponse(400, 'CREATION_THRESHOLD_NOT_MET'));
  expect(await api.post(`/proposals/${draft}/endorsements`, { walletAddress: bob })).toMatchObject({
    status: 201,
    body: { data: { status: 'DRAFT', thresholds: { start: { actual: 4 } } } },
  });
  const { proposal_id: other } = (await api.post<{ proposal_id: string }>(path, proposalBody(bob))).body;
  await makeReclaimable(bob);
  await seedStakes(sql, vaultId, [{ wallet: proposer, tokens: 0.000001 }], new Date());
  expect(await api.post(`/proposals/${other}/endorsements`, { walletAddress: proposer })).toMatchObject({
    body: { data: { status: 'DRAFT', thresholds: { start: { actual: 0 } } } },
  });
  await makeReclaimable(carol);
  expect(await api.post(`/proposals/${other}/endorsements`, { walletAddress: carol })).toMatchObject(
    errorResponse(400, 'INSUFFICIENT_VOTING_POWER'),
  );
});

test('a draft whose endorsers have staked enough in the meantime opens when one of them endorses it again', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [20_000, 10_000]);
  const bob = voters[1] ?? '';
  const draft = async () =>
    (await api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, proposalBody(proposer))).body.proposal_id;
  const [first, second] = [await draft(), await draft()];
  const endorse = (id: string, walletAddress: string) => api.post(`/proposals/${id}/endorsements`, { walletAddress });
  for (const id of [first, second]) expect(await endorse(id, bob)).toMatchObject({ status: 201 });
  await seedStakes(sql, vaultId, [{ wallet: bob, tokens: 19_999 }], new Date(Date.now() - 60_000));
  for (const wallet of [bob, proposer]) {
    expect(await endorse(first, wallet)).toMatchObject(errorResponse(400, 'ALREADY_ENDORSED'));
  }
  await seedStakes(sql, vaultId, [{ wallet: bob, tokens: 1 }], new Date(Date.now() - 60_000));
  expect(await endorse(first, bob)).toMatchObject({ status: 201, body: { data: { status: 'ACTIVE' } } });
  expect(await endorse(second, proposer)).toMatchObject({ status: 201, body: { data: { status: 'ACTIVE' } } });
  expect(await endorse(second, proposer)).toMatchObject(errorResponse(400, 'ENDORSING_CLOSED'));
});

test('an open proposal still shows the stake that opened it after those stakes become reclaimable', async () => {
  await using service = await apiService();
  const { vaultId, proposer } = await lockedVault(service, [60_000]);
  const id = await propose(service, vaultId, proposer);
  await service.sql.run`update stakes set owner_alone_from = now() where vault_id = ${vaultId}`;
  expect(await service.api.get(`/proposals/${id}`)).toMatchObject({
    body: {
      data: {
        status: 'ACTIVE',
        thresholds: { start: { required: 5, actual: 6 }, creation: { required: 1, actual: 0 } },
      },
    },
  });
});
