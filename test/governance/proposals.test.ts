import { expect, test } from '@jest/globals';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { proposalWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { person } from '../vault-lifecycle/participants.ts';
import { advance } from '../vault-lifecycle/vault-requests.ts';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import { testStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { seedStakes, readStakeUsage } from './seed-stakes.ts';
import { settledVault } from './settled-vault.ts';

interface ProposalResponse {
  readonly data: { readonly status: string; readonly failureReason: string | null; readonly phase: string };
}

const DAY = 86_400;

test('each way a proposal can fail sets its own reason, and every stake is released afterwards', async () => {
  await using stack = await testStack();
  const [contributor, investor] = [person(61), person(62)];
  const [big, half, small, tiny] = [contributor, investor, person(63), person(64)].map(({ address }) => address);
  if (!big || !half || !small || !tiny) throw new Error('a staker is missing');
  const { id: vaultId } = await settledVault(stack, { contributor, investor });
  const { sql } = stack;
  const { api } = stack;
  const { rows } = await sql.query<{ policy_id: string }>('select policy_id from assets where vault_id = $1', [
    vaultId,
  ]);
  const villa = [{ policy_id: rows[0]?.policy_id ?? '', asset_name: 'Villa' }];
  const stakes = [
    { wallet: big, tokens: 600_000 },
    { wallet: half, tokens: 300_000 },
    { wallet: small, tokens: 45_000 },
    { wallet: tiny, tokens: 10_000 },
  ];
  await seedStakes(sql, vaultId, stakes, new Date());

  const propose = async (proposer: string, more: object = {}, phases: object = {}) => {
    const proposal_details = { title: 'A plan', description: 'Do it', action_type: 'LIQUIDATE', ...more };
    const { status, body } = await api.post<{ proposal_id: string; transaction: { tx_hash: string } }>(
      `/vaults/${vaultId}/proposals`,
      { proposer, proposal_details, phases },
    );
    expect({ status, body }).toMatchObject({ status: 201 });
    return { id: body.proposal_id, hash: body.transaction.tx_hash };
  };
  const vote = async (id: string, wallet: string, tokens: number, decision: string) => {
    const voter = { wallet_address: wallet, staked_ft_amount: tokens };
    const answer = await api.post<{ vote_id: string }>(`/proposals/${id}/votes`, { voter, vote: decision });
    expect(answer).toMatchObject({ status: 200, body: { status: 'vote_recorded' } });
    return answer.body.vote_id;
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

  const first = await vote(elapsed.id, big, 600_000, 'yes');
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
  const confirmed = async () => {
    const { body } = await api.get<{ data: { status: string; confirmationTx?: string } }>(`/votes/${first}`);
    return body.data.status === 'CONFIRMED' && body;
  };
  const found = await until(confirmed, { what: 'the vote to be CONFIRMED' });
  expect(found.data.confirmationTx).toMatch(/^[0-9a-f]{64}$/);

  await advance(stack, 3 * DAY + 3600);
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
  await until(async () => (await readStakeUsage(sql, vaultId))[tiny]?.status === 'ACTIVE', {
    what: 'a stake to be released',
  });

  await advance(stack, 4 * DAY);
  expect(await read(forgotten)).toMatchObject({ status: 'FAILED', failureReason: 'draft_expired' });
  const rivals = [await read(elapsed), await read(rival)];
  expect(rivals.map(({ status }) => status).sort()).toEqual(['FAILED', 'PASSED']);
  expect(rivals.map(({ failureReason }) => failureReason)).toContain('asset_in_another_proposal');
  const again = { title: 'Again', description: '', ...sale };
  expect(await api.post(`/vaults/${vaultId}/proposals`, { proposer: big, proposal_details: again })).toMatchObject({
    status: 400,
    body: { error: { code: 'ASSET_IN_ANOTHER_PROPOSAL' } },
  });

  await advance(stack, 3 * DAY);
  const reasons = [await read(elapsed), await read(rival)].map(({ failureReason }) => failureReason).sort();
  expect(reasons).toEqual(['asset_in_another_proposal', 'execution_window_elapsed']);
  expect(await readStakeUsage(sql, vaultId)).toEqual({
    [big]: released,
    [half]: released,
    [small]: released,
    [tiny]: released,
  });
  expect(await unstakeActions()).toEqual(Array(4).fill({ action: 'unstake', allowed: true, reason: null }));

  const client = connectTemporal({ ...stack.temporal, taskQueue: 'none' });
  const over = client.workflow.getHandle(proposalWorkflowId(missed.id));
  const currentDetails = async () =>
    (await over.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
  const endText = 'Ended: quorum_not_reached. The stakes are released.';
  await until(async () => (await currentDetails()) === endText, { what: `the workflow to show "${endText}"` });
  await client.connection.close();
  const published = await readMetrics(stack.metricsUrl('worker'));
  const countOf = (transition: string) =>
    valueOf(published, `vault_transition_lag_seconds_count{transition="${transition}"}`);
  expect(['voting_close', 'draft_expiry', 'execution_end'].map(countOf)).toEqual([7, 1, 1]);
});
