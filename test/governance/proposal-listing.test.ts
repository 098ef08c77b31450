import { expect, test } from '@jest/globals';
import { apiService } from '../vaults/api-service.ts';
import { voteBody, lockedVault, proposalBody, propose } from './staked-vault.ts';
import { errorResponse } from '../stack/error-response.ts';

interface ProposalsResponse {
  readonly data: { readonly proposals: readonly { readonly id: string; readonly status: string }[] };
  readonly metadata: { readonly pagination: { readonly total: number } };
}

const DAY = 86_400;

test('proposals are listed by type and by their status at the current time, even if no worker has updated them', async () => {
  await using service = await apiService();
  const { api } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [100_000, 10_000]);
  const path = `/vaults/${vaultId}/proposals`;
  const passing = await propose(service, vaultId, proposer);
  const failing = await propose(service, vaultId, proposer);
  const { proposal_id: draft } = (await api.post<{ proposal_id: string }>(path, proposalBody(voters[1] ?? ''))).body;
  await api.post(`/proposals/${passing}/votes`, voteBody(proposer, 100_000, 'yes'));

  const found = async (query: string) => {
    const { body } = await api.get<ProposalsResponse>(`${path}?sort=createdAt:asc&${query}`);
    expect(body.metadata.pagination.total).toBe(body.data.proposals.length);
    return body.data.proposals.map(({ id }) => id);
  };
  const idsByStatus = async () => ({
    draft: await found('status=draft'),
    active: await found('status=ACTIVE'),
    passed: await found('status=passed'),
    failed: await found('status=failed'),
    executed: await found('status=executed'),
  });
  const none = { draft: [], active: [], passed: [], failed: [], executed: [] };
  expect(await idsByStatus()).toEqual({ ...none, draft: [draft], active: [passing, failing] });
  await service.advance(3 * DAY);
  expect(await idsByStatus()).toEqual({ ...none, draft: [draft], passed: [passing], failed: [failing] });
  await service.advance(4 * DAY);
  expect(await idsByStatus()).toEqual({ ...none, failed: [passing, failing, draft] });

  expect(await found('type=liquidate&status=failed')).toEqual([passing, failing, draft]);
  expect(await found('type=BUY')).toEqual([]);
  expect(await found('type=sell_asset')).toEqual([]);
  expect(await api.get(`${path}?status=failed&limit=1&page=2`)).toMatchObject({
    body: { data: { proposals: [{ status: 'FAILED' }] }, metadata: { pagination: { page: 2, limit: 1, total: 3 } } },
  });
  for (const wrong of ['status=locked', 'type=sell', 'state=FAILED']) {
    expect(await api.get(`${path}?${wrong}`)).toMatchObject(errorResponse(400, 'INVALID_REQUEST'));
  }
});
