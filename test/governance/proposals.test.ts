import { expect, test } from '@jest/globals';
import { createProposalActivities } from '../../activities/proposals.ts';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { unitOfWorkOf } from './record-moves.ts';
import { readStakeUsage } from './seed-stakes.ts';
import { lockedVault } from './staked-vault.ts';
import { recordHeldAsset } from './vault-with-custody.ts';
import { errorResponse } from '../stack/error-response.ts';

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
