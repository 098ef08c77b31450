import { expect, test } from '@jest/globals';
import { createProposalActivities } from '../../activities/proposals.ts';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { errorResponse } from '../stack/error-response.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { unitOfWorkOf } from './record-moves.ts';
import { readStakeUsage, seedStakes } from './seed-stakes.ts';
import { lockedVault, voteBody, proposalBody, propose } from './staked-vault.ts';
import { recordHeldAsset, addCustodyNft, vaultWithCustody } from './vault-with-custody.ts';

interface ProposalResponse {
  readonly data: { readonly status: string; readonly failureReason: string | null; readonly phase: string };
}

const DAY = 86_400;

/** Passes time, and takes the steps of these proposals that are due, as their workflows do. Returns the transitions. */
function clockOf(service: ApiService, proposalIds: readonly string[]) {
  const transitions: string[] = [];
  const onTransition = (name: string) => void transitions.push(name);
  const activities = createProposalActivities({ db: service.db, ...unitOfWorkOf(service), onTransition });
  let ahead = 0;
  const stepsOf = async (proposalId: string) => {
    const now = instant(wallClock.now() + ahead * 1000);
    let stage = await activities.readStage({ proposalId });
    if (stage.stage === 'draft' && stage.draftExpiresAt <= now)
      stage = await activities.expireDraft({ proposalId, now });
    if (stage.stage === 'voting' && stage.votingEndsAt <= now)
      stage = await activities.closeVoting({ proposalId, now });
    if (stage.stage === 'passed' && stage.executionEndsAt <= now)
      stage = await activities.endExecution({ proposalId, now });
    if (stage.stage === 'ended') await activities.releaseStakes({ proposalId, now });
  };
  return {
    transitions,
    async pass(seconds: number) {
      await service.advance(seconds);
      ahead += seconds;
      for (const proposalId of proposalIds) await stepsOf(proposalId);
    },
  };
}

test('each way a proposal can fail sets its own reason, and every stake is released afterwards', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const { vaultId, voters } = await lockedVault(service, [600_000, 300_000, 45_000, 10_000]);
  const [big = '', half = '', small = '', tiny = ''] = voters;
  const named = { policy_id: 'ab'.repeat(28), asset_name: 'Villa' };
  await recordHeldAsset(service, vaultId, named);
  const villa = [named];

  const propose = async (proposer: string, more: object = {}, phases: object = {}) => {
    const proposal_details = { title: 'A plan', description: 'Do it', action_type: 'LIQUIDATE', ...more };
    const { status, body } = await api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, {
      proposer,
      proposal_details,
      phases,
    });
    expect({ status, body }).toMatchObject({ status: 201 });
    return { id: body.proposal_id };
  };
  const vote = async (id: string, wallet: string, tokens: number, decision: string) => {
    const voter = { wallet_address: wallet, staked_ft_amount: tokens };
    const answer = await api.post(`/proposals/${id}/votes`, { voter, vote: decision });
    expect(answer).toMatchObject({ status: 200, body: { status: 'vote_recorded' } });
  };
  const read = async ({ id }: { id: string }) => (await api.get<ProposalResponse>(`/proposals/${id}`)).body.data;
  const unstakeActions = async () => {
    const { body } = await api.get<{ data: { stakes: { allowedActions: object[] }[] } }>(`/vaults/${vaultId}/stakes`);
    return body.data.stakes.flatMap(({ allowedActions }) => allowedActions);
  };
  const sale = { action_type: 'sell_asset', affected_assets: villa, terms: { price: 5_000_000 } };
  const sevenDays = { voting_duration: '168h', lock_duration: '24h', execution_duration: '48h' };

  const elapsed = await propose(big, sale, sevenDays);
  const rival = await propose(big, sale, sevenDays);
  const missed = await propose(big);
  const rejected = await propose(big);
  const tied = await propose(big);
  const cancelledLate = await propose(big);
  const forgotten = await propose(tiny);
  const cancelledEarly = await propose(tiny);
  const endorsed = await propose(tiny);
  const all = [elapsed, rival, missed, rejected, tied, cancelledLate, forgotten, cancelledEarly, endorsed];
  const clock = clockOf(
    service,
    all.map(({ id }) => id),
  );

  expect(await read(endorsed)).toMatchObject({ status: 'DRAFT', phase: 'draft', votingPhase: { startTime: null } });
  expect(await api.post(`/proposals/${endorsed.id}/endorsements`, { walletAddress: small })).toMatchObject({
    status: 201,
    body: { data: { status: 'ACTIVE', thresholds: { start: { actual: 5.5 } } } },
  });
  expect(await api.post(`/proposals/${endorsed.id}/endorsements`, { walletAddress: half })).toMatchObject({
    body: { error: { code: 'ENDORSING_CLOSED' } },
  });
  expect(await api.del(`/proposals/${missed.id}`)).toMatchObject({
    body: { error: { code: 'PROPOSAL_NOT_CANCELLABLE' } },
  });
  expect(await api.del(`/proposals/${cancelledEarly.id}`)).toMatchObject({
    status: 200,
    body: { data: { status: 'FAILED', failureReason: 'cancelled' } },
  });

  await vote(elapsed.id, big, 600_000, 'yes');
  await vote(rival.id, big, 500_000, 'yes');
  await vote(missed.id, small, 45_000, 'yes');
  await vote(rejected.id, half, 300_000, 'no');
  await vote(rejected.id, big, 200_000, 'yes');
  await vote(tied.id, half, 300_000, 'no');
  await vote(tied.id, big, 300_000, 'yes');
  await vote(cancelledLate.id, big, 600_000, 'yes');
  await vote(cancelledLate.id, tiny, 10_000, 'yes');
  const used = await readStakeUsage(sql, vaultId);
  expect(used).toMatchObject({
    [big]: { status: 'LOCKED', used: 600_000 },
    [half]: { status: 'LOCKED', used: 300_000 },
    [small]: { status: 'LOCKED', used: 45_000 },
    [tiny]: { status: 'LOCKED', used: 10_000 },
  });
  expect(await unstakeActions()).toEqual(Array(4).fill({ action: 'unstake', allowed: false, reason: 'STAKE_LOCKED' }));
  await clock.pass(3 * DAY + 3600);
  expect(await read(missed)).toMatchObject({
    status: 'FAILED',
    failureReason: 'quorum_not_reached',
    overdueSeconds: 0,
  });
  expect(await read(rejected)).toMatchObject({ status: 'FAILED', failureReason: 'rejected' });
  expect(await read(tied)).toMatchObject({ status: 'FAILED', failureReason: 'tied' });
  expect(await read(endorsed)).toMatchObject({ status: 'FAILED', failureReason: 'quorum_not_reached' });
  expect(await read(cancelledLate)).toMatchObject({ status: 'PASSED', phase: 'lock' });
  const released = { status: 'ACTIVE', used: 0 };
  expect(await readStakeUsage(sql, vaultId)).toMatchObject({
    [half]: released,
    [small]: released,
    [tiny]: { status: 'LOCKED', used: 10_000 },
  });
  expect(await api.del(`/proposals/${cancelledLate.id}`)).toMatchObject({ status: 200 });
  expect(await read(cancelledLate)).toMatchObject({ failureReason: 'cancelled', lockPhase: { status: 'FAILED' } });
  expect(await read(elapsed)).toMatchObject({ status: 'ACTIVE', phase: 'voting' });
  await clock.pass(60);
  expect((await readStakeUsage(sql, vaultId))[tiny]).toEqual(released);

  await clock.pass(4 * DAY);
  expect(await read(forgotten)).toMatchObject({ status: 'FAILED', failureReason: 'draft_expired' });
  const rivals = [await read(elapsed), await read(rival)];
  expect(rivals.map(({ status }) => status).sort()).toEqual(['FAILED', 'PASSED']);
  expect(rivals.map(({ failureReason }) => failureReason)).toContain('asset_in_another_proposal');
  const again = { title: 'Again', description: '', ...sale };
  expect(await api.post(`/vaults/${vaultId}/proposals`, { proposer: big, proposal_details: again })).toMatchObject(
    errorResponse(400, 'ASSET_IN_ANOTHER_PROPOSAL'),
  );

  await clock.pass(3 * DAY);
  const reasons = [await read(elapsed), await read(rival)].map(({ failureReason }) => failureReason).sort();
  expect(reasons).toEqual(['asset_in_another_proposal', 'execution_window_elapsed']);
  expect(await readStakeUsage(sql, vaultId)).toEqual({
    [big]: released,
    [half]: released,
    [small]: released,
    [tiny]: released,
  });
  expect(await unstakeActions()).toEqual(Array(4).fill({ action: 'unstake', allowed: true, reason: null }));

  const countOf = (transition: string) => clock.transitions.filter((name) => name === transition).length;
  expect(['voting_close', 'draft_expiry', 'execution_end'].map(countOf)).toEqual([7, 1, 1]);
});

interface ProposalsResponse {
  readonly data: { readonly proposals: readonly { readonly id: string; readonly status: string }[] };
  readonly metadata: { readonly pagination: { readonly total: number } };
}

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

test('neither a new vault nor a decision to end one names the operator, whose transactions would never pay it', async () => {
  await using service = await apiService();
  const { address } = service.keys.operator;
  const refused = (code: string, field: string) => errorResponse(400, code, { errors: [{ code, field }] });
  const body = vaultBody(newWallet().address);
  for (const field of ['remaining_assets_to', 'unclaimed_lovelace_to']) {
    const made = await service.api.post('/vaults', { ...body, termination: { [field]: address } });
    expect(made).toMatchObject(refused('INVALID_VAULT_PARAMS', `termination.${field}`));
  }

  const vault = await vaultWithCustody(service);
  const asset = await addCustodyNft(service, vault);
  const { proposal_details: details, ...others } = proposalBody(vault.big.address);
  const terms = { remaining_assets: [{ ...asset, address }] };
  const proposed = await service.api.post(`/vaults/${vault.vaultId}/proposals`, {
    ...others,
    proposal_details: { ...details, terms },
  });
  const field = 'proposal_details.terms.remaining_assets.0.address';
  expect(proposed).toMatchObject(refused('INVALID_REQUEST', field));
});
