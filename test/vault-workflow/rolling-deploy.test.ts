import { expect, test } from '@jest/globals';
import { workflowChanges } from '../../src/temporal/workflow-changes.ts';
import { proposalWorkflowId, vaultWorkflowId } from '../../src/temporal/workflow-ids.ts';
import { propose, voteBody } from '../governance/staked-vault.ts';
import { seedStakes } from '../governance/seed-stakes.ts';
import { settledVault } from '../governance/settled-vault.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { workflowHistories } from '../stack/workflow-histories.ts';
import { contribute, fundWallet, holdings, person, waitForTransaction } from '../vault-lifecycle/participants.ts';
import { advance, createVault, waitForVaultStatus } from '../vault-lifecycle/vault-requests.ts';
import { oldChanges } from './old-changes.ts';

const DAY = 86_400;
const [contributor, investor, owner] = [person(501), person(502), person(503)];

test('workers of two releases run side by side in the middle of a vault and of a proposal, and both reach their ends', async () => {
  await using stack = await testStack({ services: ['old-worker', 'api'] });
  await using histories = workflowHistories(stack);
  const shared = await sharedByTwo(stack, histories);
  const { vault, proposal } = shared;
  const policyId = await depositAndVote(stack, shared);
  expect(await activeChanges(stack)).toEqual(oldChanges.toSorted());
  for (const workflow of [vault, proposal])
    expect(new Set(await histories.changes(workflow)).difference(new Set(oldChanges))).toEqual(new Set());

  expect(await stack.kill('old-worker', 'SIGTERM')).toBe('exit code 0');
  await until(async () => (await activeChanges(stack)).length === workflowChanges.length, {
    what: 'the changes to be active',
  });
  await expectEnds(stack, histories, { ...shared, policyId });

  const later = vaultWorkflowId(await createVault(stack, owner.address));
  await until(async () => (await histories.changes(later)).includes('bounded-waits'), {
    what: 'a new vault to make the newest changes',
  });
  await expect(stack.restart('old-worker')).rejects.toThrow(/does not know changes of the workflows that are active/);
});

test('a whole worker of an earlier release runs beside one of today in the middle of a vault and of a proposal, each doing steps of both', async () => {
  await using stack = await testStack({ services: ['earlier-worker', 'api'] });
  await using histories = workflowHistories(stack);
  const shared = await sharedByTwo(stack, histories);
  const { vault, proposal } = shared;
  const areStepsShared = async () => {
    await histories.wakeAnywhere(proposal, 'endorsed');
    return (await histories.doers(proposal)).size > 1;
  };
  await until(areStepsShared, { what: 'both workers to do activities of the proposal' });
  const policyId = await depositAndVote(stack, shared);

  await expectEnds(stack, histories, { ...shared, policyId });
  expect((await histories.doers(vault)).size).toBeGreaterThan(1);
  expect(await stack.kill('earlier-worker', 'SIGTERM')).toBe('exit code 0');
});

type Histories = ReturnType<typeof workflowHistories>;
type Shared = Awaited<ReturnType<typeof sharedByTwo>>;

/** Brings an NFT into the vault and a vote to the proposal; returns the policy id of the NFT. */
async function depositAndVote(stack: TestStack, { vaultId, proposalId }: Shared): Promise<string> {
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Ferry: 1 } });
  const { hash } = await contribute(stack, vaultId, owner, { policyId, name: 'Ferry' });
  await waitForTransaction(stack, hash, ['final']);
  const vote = await stack.api.post(`/proposals/${proposalId}/votes`, voteBody(contributor.address, 500_000, 'yes'));
  expect(vote).toMatchObject({ status: 200 });
  return policyId;
}

/** Moves the clock until both have ended as they do without a deploy, and the NFT is back. */
async function expectEnds(
  stack: TestStack,
  histories: Histories,
  { vaultId, vault, proposal, policyId }: Shared & { readonly policyId: string },
): Promise<void> {
  await advance(stack, 14 * DAY);
  await waitForVaultStatus(stack, vaultId, 'TERMINATED');
  for (const workflow of [vault, proposal])
    await until(() => histories.isCompleted(workflow), { what: `${workflow} to end` });
  expect((await holdings(stack, owner.address)).get(policyId + Buffer.from('Ferry').toString('hex'))).toBe(1n);
  const { rows } = await stack.sql.query('select status, failure_reason as reason from proposals');
  expect(rows).toEqual([{ status: 'FAILED', reason: 'execution_window_elapsed' }]);
  expect(await histories.failedTasks()).toEqual([]);
}

/** A vault and a proposal that a worker of before has begun, one of today has gone on with, and the one of before again. */
async function sharedByTwo(stack: TestStack, histories: Histories) {
  const { id: governed } = await settledVault(stack, { contributor, investor });
  await seedStakes(stack.sql, governed, [{ wallet: contributor.address, tokens: 600_000 }], new Date());
  const proposalId = await propose(stack, governed, contributor.address);
  const vaultId = await createVault(stack, owner.address);
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const [vault, proposal] = [vaultWorkflowId(vaultId), proposalWorkflowId(proposalId)];
  const [old = ''] = await histories.takers(vault);

  await stack.restart('worker');
  for (const [workflow, signal] of [
    [vault, 'transactionChanged'],
    [proposal, 'endorsed'],
  ] as const) {
    const isShared = async () => {
      await histories.wakeAnywhere(workflow, signal);
      return isBackAtOld(await histories.takers(workflow), old);
    };
    await until(isShared, { what: `${workflow} to be taken by the old worker, the new one, and the old one again` });
  }
  return { vaultId, proposalId, vault, proposal };
}

async function activeChanges({ sql }: TestStack): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>('select id from workflow_changes order by id');
  return rows.map(({ id }) => id);
}

/** Whether the old worker was given a task after another worker had been given one. */
function isBackAtOld(takers: readonly string[], old: string): boolean {
  const other = takers.findIndex((taker) => taker !== old);
  return other > 0 && takers.slice(other).includes(old);
}
