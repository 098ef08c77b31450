import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { person } from '../vault-lifecycle/participants.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { voteBody, lockedVault, proposalBody, propose } from './staked-vault.ts';
import { loggedInMembers, governanceState } from './logged-in-members.ts';
import { seedStakes } from './seed-stakes.ts';
import { errorResponse } from '../stack/error-response.ts';

interface VoteResponse {
  readonly vote_id: string;
}
interface ProposalResponse {
  readonly proposal_id: string;
}

const DAY = 86_400;
const forbidden = errorResponse(403, 'INSUFFICIENT_PERMISSIONS');
const unknownId = '01890a5d-ac96-774b-bcce-b302099a8057';

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A proposal of a wallet with too little stake to open voting. */
async function draft(vaultId: string, proposer: string): Promise<string> {
  const answer = await service.api.post<ProposalResponse>(`/vaults/${vaultId}/proposals`, proposalBody(proposer));
  expect(answer.status).toBe(201);
  return answer.body.proposal_id;
}

test('a logged-in wallet proposes, endorses, votes and revokes for itself and reads its own participation; nobody else can do so for it', async () => {
  const { vaultId, people } = await loggedInMembers(service, [30_000, 40_000]);
  const [alice, bob, stranger] = people;
  if (!alice || !bob || !stranger) throw new Error('a member is missing');
  const { api } = service;
  const path = `/vaults/${vaultId}/proposals`;
  expect(await api.post(path, proposalBody(alice.address), bob.session)).toMatchObject(forbidden);
  const created = await api.post<ProposalResponse>(path, proposalBody(alice.address), alice.session);
  expect(created.status).toBe(201);
  const proposalPath = `/proposals/${created.body.proposal_id}`;

  expect(
    await api.post(`${proposalPath}/endorsements`, { walletAddress: bob.address }, stranger.session),
  ).toMatchObject(forbidden);
  expect(await api.del(proposalPath, undefined, bob.session)).toMatchObject(forbidden);
  expect(await api.post(`${proposalPath}/endorsements`, {}, bob.session)).toMatchObject({
    status: 201,
    body: { data: { status: 'ACTIVE' } },
  });
  const votes = `${proposalPath}/votes`;
  expect(await api.post(votes, voteBody(alice.address, 10, 'yes'), bob.session)).toMatchObject(forbidden);
  expect(await api.post(votes, voteBody(alice.address, 10, 'yes'), { key: alice.session.key })).toMatchObject({
    status: 403,
  });
  const cast = await api.post<VoteResponse>(votes, voteBody(alice.address, 10, 'yes'), alice.session);
  expect(cast.status).toBe(200);
  const changed = await api.post<VoteResponse>(votes, voteBody(alice.address, 20.5, 'no'), alice.session);
  expect(changed.status).toBe(200);

  const own = async (options: object) =>
    (await api.get<{ data: { own: unknown } }>(proposalPath, options)).body.data.own;
  expect(await own(alice.session)).toMatchObject({
    wallet: alice.address,
    power: 30_000,
    vote: { id: changed.body.vote_id, decision: 'REJECT', amount: 20.5, status: 'CAST' },
  });
  expect(await own(bob.session)).toMatchObject({ wallet: bob.address, power: 40_000, vote: null });
  expect(await own(stranger.session)).toMatchObject({ wallet: stranger.address, power: 0, vote: null });
  expect(await own({})).toBeNull();

  const votePath = `/votes/${changed.body.vote_id}`;
  expect(await api.del(votePath, undefined, bob.session)).toMatchObject(forbidden);
  expect(await api.del(votePath, undefined, alice.session)).toMatchObject({ body: { data: { status: 'REVOKED' } } });
  expect(await own(alice.session)).toMatchObject({ power: 30_000, vote: null });
  const audited = await service.sql.run<{ line: string }>`select concat_ws(' ', action, actor_type,
      metadata ->> 'onBehalfOf') as line from audit_log
      where actor_id in (${alice.address}, ${bob.address}) and action similar to '(PROPOSAL|VOTE)%' order by at, id`;
  const expectedActions = ['PROPOSAL_CREATED', 'PROPOSAL_ENDORSED', 'VOTE_CAST', 'VOTE_CAST', 'VOTE_REVOKED'];
  expect(audited.map(({ line }) => line)).toEqual(expectedActions.map((action) => `${action} WALLET`));
});

test('each governance request that is refused has its own error code and changes nothing', async () => {
  const { vaultId, voters } = await lockedVault(service, [60_000, 20_000, 10_000], (number) => {
    return person(number + 350).address;
  });
  const [big = '', middle = '', small = ''] = voters;
  const lateStaker = person(360).address;
  const [open, waiting] = [await propose(service, vaultId, big), await draft(vaultId, small)];
  await seedStakes(service.sql, vaultId, [{ wallet: lateStaker, tokens: 500 }], new Date(Date.now() + 3_600_000));
  await service.advance(2 * 3600);
  const { api } = service;
  const cast = await api.post<VoteResponse>(`/proposals/${open}/votes`, voteBody(big, 10, 'yes'));
  const endorse = (id: string, walletAddress: string) => api.post(`/proposals/${id}/endorsements`, { walletAddress });
  const vote = (id: string, wallet: string, tokens = 1) =>
    api.post(`/proposals/${id}/votes`, voteBody(wallet, tokens, 'no'));
  const proposing = (thresholds: object, details: object = {}) => {
    const body = proposalBody(big);
    return api.post(`/vaults/${vaultId}/proposals`, {
      ...body,
      proposal_details: { ...body.proposal_details, ...details },
      governance_thresholds: { ...body.governance_thresholds, ...thresholds },
    });
  };
  const expectRefused = async (code: string, ask: () => Promise<unknown>, status = 400) => {
    const before = await governanceState(service);
    expect(await ask()).toMatchObject(errorResponse(status, code));
    expect(await governanceState(service)).toEqual(before);
  };

  for (const [name, laxer] of [
    ['creation', 0.5],
    ['start', 4],
    ['vote', 29],
    ['execution', 50],
    ['cosigning', 9],
  ] as const) {
    await expectRefused('THRESHOLD_BELOW_VAULT', () => proposing({ [`${name}_threshold`]: laxer }));
  }
  const moon = { action_type: 'sell_asset', affected_assets: [{ policy_id: 'ab'.repeat(28), asset_name: 'Moon' }] };
  await expectRefused('ASSET_NOT_IN_VAULT', () => proposing({}, moon));
  await expectRefused('CREATION_THRESHOLD_NOT_MET', () =>
    api.post(`/vaults/${vaultId}/proposals`, proposalBody(lateStaker)),
  );
  await expectRefused('VAULT_NOT_FOUND', () => api.post(`/vaults/${unknownId}/proposals`, proposalBody(big)), 404);

  await expectRefused('VOTING_NOT_OPEN', () => vote(waiting, middle));
  await expectRefused('ALREADY_ENDORSED', () => endorse(waiting, small));
  await expectRefused('INSUFFICIENT_VOTING_POWER', () => endorse(waiting, person(361).address));
  expect(await endorse(waiting, middle)).toMatchObject({ status: 201, body: { data: { status: 'DRAFT' } } });
  const startMessages = 'select message from workflow_notices where workflow_id = $1';
  const { rows: messages } = await service.sql.query(startMessages, [`proposal-${waiting}`]);
  // Endorsements that do not open voting send no message, so the workflow history does not grow.
  expect(messages).toMatchObject([{ message: { kind: 'start' } }]);
  await expectRefused('ALREADY_ENDORSED', () => endorse(waiting, middle));
  await expectRefused('ENDORSING_CLOSED', () => endorse(open, middle));
  await expectRefused('PROPOSAL_NOT_FOUND', () => endorse(unknownId, middle), 404);
  await expectRefused('PROPOSAL_NOT_CANCELLABLE', () => api.del(`/proposals/${open}`));
  await expectRefused('PROPOSAL_NOT_FOUND', () => api.del(`/proposals/${unknownId}`), 404);

  await expectRefused('NOT_STAKED_AT_SNAPSHOT', () => vote(open, lateStaker));
  await expectRefused('NOT_STAKED_AT_SNAPSHOT', () => vote(open, person(361).address));
  await expectRefused('INSUFFICIENT_VOTING_POWER', () => vote(open, middle, 20_001));
  await expectRefused('INVALID_ADDRESS', () => vote(open, 'nobody'));
  await expectRefused('WRONG_NETWORK', () => vote(open, signingWallet({ network: 1 }).address));
  await expectRefused('PROPOSAL_NOT_FOUND', () => vote(unknownId, middle), 404);
  await expectRefused('VOTE_NOT_FOUND', () => api.del(`/votes/${unknownId}`), 404);

  await service.advance(3 * DAY);
  await expectRefused('VOTING_CLOSED', () => vote(open, middle));
  await expectRefused('VOTING_CLOSED', () => api.del(`/votes/${cast.body.vote_id}`));
  await service.advance(5 * DAY);
  await expectRefused('ENDORSING_CLOSED', () => endorse(waiting, big));
  await expectRefused('VOTING_CLOSED', () => vote(waiting, middle));
  await expectRefused('PROPOSAL_NOT_CANCELLABLE', () => api.del(`/proposals/${waiting}`));
});

test('wallets that share an API key do not share their idempotency keys', async () => {
  const { vaultId, people } = await loggedInMembers(service, [60_000, 20_000]);
  const [alice, bob] = people;
  if (!alice || !bob) throw new Error('a member is missing');
  const proposalId = await propose(service, vaultId, alice.address);
  const vote = ({ address, session }: typeof alice) =>
    service.api.post<VoteResponse>(`/proposals/${proposalId}/votes`, voteBody(address, 5, 'yes'), {
      key: alice.session.key,
      headers: { ...session.headers, 'idempotency-key': `vote-${proposalId}` },
    });
  const votes = [await vote(alice), await vote(bob), await vote(alice)];
  expect(votes.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(votes[2]?.body).toEqual(votes[0]?.body);
  expect(votes[1]?.body.vote_id).not.toBe(votes[0]?.body.vote_id);
});

test('a vault whose liquidation is decided accepts no proposals and opens no voting', async () => {
  const { vaultId, proposer, voters } = await lockedVault(service, [30_000, 60_000], (n) => person(380 + n).address);
  const proposalPath = `/proposals/${await draft(vaultId, proposer)}`;
  await service.sql.run`update vaults set failed_because = 'liquidated' where id = ${vaultId}`;
  const before = await governanceState(service);
  const vaultEnded = errorResponse(400, 'VAULT_ALREADY_ENDED');
  expect(await service.api.post(`/vaults/${vaultId}/proposals`, proposalBody(proposer))).toMatchObject(vaultEnded);
  expect(await service.api.post(`${proposalPath}/endorsements`, { walletAddress: voters[1] })).toMatchObject(
    vaultEnded,
  );
  expect(await governanceState(service)).toEqual(before);
  const actions: unknown = expect.arrayContaining([
    { action: 'endorse', allowed: false, reason: 'VAULT_ALREADY_ENDED' },
  ]);
  expect(await service.api.get(proposalPath)).toMatchObject({
    body: { data: { status: 'DRAFT', allowedActions: actions } },
  });
});

test('a proposal over which members could vote for less time than their vault sets is refused', async () => {
  const { vaultId, proposer } = await lockedVault(service, [60_000], () => person(390).address);
  const own = { votingSeconds: 4 * DAY, lockSeconds: DAY, executionSeconds: 2 * DAY };
  await service.sql.run`update vaults
      set metadata = metadata || jsonb_build_object('governance', ${JSON.stringify(own)}::jsonb) where id = ${vaultId}`;
  const proposing = (phases: object) =>
    service.api.post(`/vaults/${vaultId}/proposals`, { ...proposalBody(proposer), phases });
  for (const [phase, duration] of [['voting', '95h'] as const, ['lock', '23h'] as const]) {
    const field = `phases.${phase}_duration`;
    const answer = await proposing({ [`${phase}_duration`]: duration });
    expect(answer).toMatchObject(errorResponse(400, 'THRESHOLD_BELOW_VAULT'));
    expect(answer).toMatchObject({ body: { error: { details: { errors: [{ field }] } } } });
  }
  const sameOrLonger = { voting_duration: '96h', lock_duration: '25h', execution_duration: '24h' };
  expect(await proposing(sameOrLonger)).toMatchObject({ status: 201 });
});
