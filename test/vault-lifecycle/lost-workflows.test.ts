import { expect, test } from '@jest/globals';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { lostWorkflowsId } from '../../src/temporal/workflow-ids.ts';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { fundWallet, person, requestAddAsset, submitWitnesses, waitForTransaction } from './participants.ts';
import { advance, createVault, waitForVaultStatus } from './vault-requests.ts';

/** How many lost workflows of a kind the worker has started again after they were terminated. */
async function restarts(stack: TestStack, kind: string): Promise<number> {
  const text = await readMetrics(stack.metricsUrl('worker'));
  return valueOf(text, `lost_workflows_total{kind="${kind}",end="TERMINATED"}`) ?? 0;
}

test('a vault, a deposit, an anchor lane and the follower whose workflows were terminated go on, and an operator sees it', async () => {
  await using stack = await testStack();
  const owner = person(181);
  const vaultId = await createVault(stack, owner.address);
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Ferry: 1 } });
  const { body: asset } = await requestAddAsset(stack, vaultId, owner, { policyId, name: 'Ferry' });
  const { rows: lanes } = await stack.sql.query('select id from anchor_lanes');
  const expected = { vault: 1, transaction: 1, ledgerFollower: 1, anchorLane: lanes.length };

  const client = connectTemporal({ ...stack.temporal, taskQueue: 'none' });
  const query = `ExecutionStatus = 'Running' and WorkflowType in (${Object.keys(expected)
    .map((kind) => `'${kind}'`)
    .join()})`;
  for await (const { workflowId } of client.workflow.list({ query }))
    await client.workflow.getHandle(workflowId).terminate('a test');
  const schedule = client.schedule.getHandle(lostWorkflowsId);
  const counted = async () => {
    const kinds = Object.keys(expected);
    const counts = await Promise.all(kinds.map(async (kind) => [kind, await restarts(stack, kind)] as const));
    return Object.fromEntries<number>(counts);
  };
  await schedule.trigger();
  await until(async () => (await restarts(stack, 'vault')) > 0, { what: 'the vault to be started again' });

  const hash = await submitWitnesses(stack, owner, asset.transaction);
  await waitForTransaction(stack, hash, ['final']);
  await advance(stack, 14 * 86_400);
  await waitForVaultStatus(stack, vaultId, 'TERMINATED');
  expect(await counted()).toEqual(expected);

  const runs = async () => (await schedule.describe()).info.numActionsTaken;
  const before = await runs();
  await schedule.trigger();
  await until(async () => (await runs()) > before && (await schedule.describe()).info.runningActions.length === 0, {
    what: 'a second look',
  });
  expect(await counted()).toEqual(expected);
  await client.connection.close();
});
