import { expect, test } from '@jest/globals';
import { signingWallet } from '../http/signing-wallet.ts';
import { person } from '../vault-lifecycle/participants.ts';
import { apiService } from '../vaults/api-service.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { voteBody, lockedVault, propose } from './staked-vault.ts';
import { seedStakes } from './seed-stakes.ts';
import { errorResponse } from '../stack/error-response.ts';

interface VoteResponse {
  readonly vote_id: string;
}

test('a wallet’s power in a proposal is the stake that was final before voting began, shown with the wallet’s own vote', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [60_000, 20_000]);
  const bob = voters[1] ?? '';
  const proposalId = await propose(service, vaultId, proposer);
  await seedStakes(sql, vaultId, [{ wallet: bob, tokens: 7 }], new Date(Date.now() + 60_000));
  const power = async (wallet: string, query = `?proposalId=${proposalId}`) =>
    (await api.get<{ data: unknown }>(`/wallets/${wallet}/voting-power${query}`)).body.data;

  const before = { proposalId, vaultId, staked: 20_007, votingPower: 20_000, usedPower: 0, vote: null };
  expect(await power(bob)).toMatchObject({
    walletAddress: bob,
    powers: [{ vaultId, staked: 20_007, votingPower: 20_007, usedPower: 0 }],
    inProposal: { ...before, votingPowerBaseUnits: '20000000000' },
  });
  expect(await power(bob, '')).not.toHaveProperty('inProposal');
  const { body } = await api.post<VoteResponse>(`/proposals/${proposalId}/votes`, voteBody(bob, 1_234, 'no'));
  const vote = { id: body.vote_id, decision: 'REJECT', amount: 1_234 };
  expect(await power(bob, `?proposalId=${proposalId}&page=2`)).toMatchObject({
    powers: [],
    inProposal: { ...before, usedPower: 1_234, vote },
  });
  await api.del(`/votes/${body.vote_id}`);
  expect(await power(bob)).toMatchObject({ inProposal: before });

  const elsewhere = await lockedVault(service, [60_000, 5]);
  expect(await power(bob, '')).toMatchObject({ powers: [{ vaultId: elsewhere.vaultId }, { vaultId }] });
  expect(await power(bob)).toMatchObject({ powers: [{ vaultId }] });
  expect(await power(person(299).address)).toMatchObject({
    powers: [],
    inProposal: { staked: 0, votingPower: 0, usedPower: 0, vote: null },
  });
});

test('a stake that its owner may reclaim alone before the execution phase ends has no power and does not count in the quorum base', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [60_000, 20_000]);
  const bob = voters[1] ?? '';
  const id = await propose(service, vaultId, proposer);
  const setReclaimableFrom = (later: string) =>
    sql.query(
      `update stakes set owner_alone_from = (select execution_ends_at from proposals where id = $1) + $2::interval
        where vault_id = $3 and wallet = $4`,
      [id, later, vaultId, bob],
    );
  const power = () => api.get(`/wallets/${bob}/voting-power?proposalId=${id}`);
  const base = (eligiblePowerBaseUnits: string) => ({ body: { data: { eligiblePowerBaseUnits } } });

  await setReclaimableFrom('0 ms');
  expect(await power()).toMatchObject({ body: { data: { inProposal: { votingPower: 0 } } } });
  expect(await api.get(`/proposals/${id}`)).toMatchObject(base('60000000000'));
  expect(await api.post(`/proposals/${id}/votes`, voteBody(bob, 1, 'no'))).toMatchObject(
    errorResponse(400, 'NOT_STAKED_AT_SNAPSHOT'),
  );
  await setReclaimableFrom('1 ms');
  expect(await power()).toMatchObject({ body: { data: { inProposal: { votingPower: 20_000 } } } });
  expect(await api.get(`/proposals/${id}`)).toMatchObject(base('80000000000'));
});

test('no wallet has voting power in a proposal that is still a draft', async () => {
  await using service = await apiService();
  const { vaultId, proposer } = await lockedVault(service, [20_000]);
  const proposalId = await propose(service, vaultId, proposer);
  expect(await service.api.get(`/wallets/${proposer}/voting-power?proposalId=${proposalId}`)).toMatchObject({
    body: { data: { powers: [{ votingPower: 20_000 }], inProposal: { votingPower: 0, votingStartedAt: null } } },
  });
});

test('the power in a proposal is shown to callers who may read its vault and hidden from others', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const [member, stranger] = [signingWallet(), signingWallet()];
  const { vaultId, proposer } = await lockedVault(service, [60_000], () => member.address);
  const proposalId = await propose(service, vaultId, proposer);
  await sql.run`update vaults set type = 'PRIVATE' where id = ${vaultId}`;
  const path = `/wallets/${member.address}/voting-power`;
  const [asMember, asStranger] = [await logIn(service, member), await logIn(service, stranger)];

  expect(await api.get(`${path}?proposalId=${proposalId}`, asMember)).toMatchObject({
    status: 200,
    body: { data: { inProposal: { votingPower: 60_000 } } },
  });
  const missing = errorResponse(404, 'PROPOSAL_NOT_FOUND');
  expect(await api.get(`${path}?proposalId=${proposalId}`, asStranger)).toMatchObject(missing);
  expect(await api.get(`${path}?proposalId=${crypto.randomUUID()}`, asMember)).toMatchObject(missing);
  expect(await api.get(`${path}?proposalId=${proposalId}`, { key: asMember.key })).toMatchObject(
    errorResponse(403, 'INSUFFICIENT_PERMISSIONS'),
  );
  expect(await api.get(`${path}?proposalId=one`, asMember)).toMatchObject(errorResponse(400, 'INVALID_REQUEST'));
  expect(await api.get(`/wallets/nonsense/voting-power?proposalId=${proposalId}`, asMember)).toMatchObject(
    errorResponse(400, 'INVALID_ADDRESS'),
  );
});
