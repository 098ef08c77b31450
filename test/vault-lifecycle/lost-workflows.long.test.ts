import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { lostWorkflowsId, vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { workflowDetails } from '../stack/workflow-details.ts';
import { fundWallet, person, requestAddAsset, submitWitnesses, waitForTransaction } from './participants.ts';
import { advance, createVault, waitForVaultStatus } from './vault-requests.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await testStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

/** How many lost workflows of a kind the worker has started again after they had ended so. */
async function restarts(kind: string, end = 'TERMINATED'): Promise<number> {
  const text = await readMetrics(stack.metricsUrl('worker'));
  return valueOf(text, `lost_workflows_total{kind="${kind}",end="${end}"}`) ?? 0;
}

/** A signal with an argument that no data converter reads, as any client can send it: each task of the workflow fails from then on. */
async function signalGarbage(client: Client, workflowId: string): Promise<void> {
  await client.workflowService.signalWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId },
    signalName: 'transactionChanged',
    input: { payloads: [{ metadata: { encoding: Buffer.from('of nobody') }, data: Buffer.from('x') }] },
  });
}

/** Lets the sweep anchor the end of the audit log, waits until it is on the ledger, and returns the anchor chains that have anchors there. */
async function anchorAuditLog(client: Client): Promise<Set<string>> {
  const confirmed = async () =>
    await stack.sql.run<{ chain: string }>`select anchor_chain_id as chain from anchor_batches where confirmed`;
  const before = (await confirmed()).length;
  const isDue = async () => {
    const age = `update audit_log set chained_at = now() - interval '1 hour' where seq is not null`;
    await stack.sql.query(age);
    await client.schedule.getHandle('sweep').trigger();
    await pause(1000);
    return (await confirmed()).length > before;
  };
  await until(isDue, { what: 'an anchor of the audit log', deadlineMs: 60_000 });
  return new Set((await confirmed()).map(({ chain }) => chain));
}

test('a vault, a deposit, an anchor chain and the follower whose workflows were terminated continue, and an operator sees it', async () => {
  const owner = person(181);
  const vaultId = await createVault(stack, owner.address);
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Ferry: 1 } });
  const { body: asset } = await requestAddAsset(stack, vaultId, owner, { policyId, name: 'Ferry' });
  const client = connectTemporal({ ...stack.temporal, taskQueue: 'none' });
  const anchorChains = await anchorAuditLog(client);
  const expected = { vault: 1, transaction: 1, ledgerFollower: 1, anchorSubmitter: anchorChains.size };

  const query = `ExecutionStatus = 'Running' and WorkflowType in (${Object.keys(expected)
    .map((kind) => `'${kind}'`)
    .join()})`;
  for await (const { workflowId } of client.workflow.list({ query }))
    await client.workflow.getHandle(workflowId).terminate('a test');
  const schedule = client.schedule.getHandle(lostWorkflowsId);
  const counted = async () => {
    const kinds = Object.keys(expected);
    const counts = await Promise.all(kinds.map(async (kind) => [kind, await restarts(kind)] as const));
    return Object.fromEntries<number>(counts);
  };
  await schedule.trigger();
  await until(async () => (await restarts('vault')) > 0, { what: 'the vault to be started again' });

  const hash = await submitWitnesses(stack, owner, asset.transaction);
  await waitForTransaction(stack, hash, ['final']);
  await advance(stack, 14 * 86_400);
  await waitForVaultStatus(stack, vaultId, 'TERMINATED');
  expect(await counted()).toEqual(expected);

  expect(await anchorAuditLog(client)).toEqual(anchorChains);

  const runs = async () => (await schedule.describe()).info.numActionsTaken;
  const before = await runs();
  await schedule.trigger();
  await until(async () => (await runs()) > before && (await schedule.describe()).info.runningActions.length === 0, {
    what: 'a second look',
  });
  expect(await counted()).toEqual(expected);
  await client.connection.close();
});

test('a vault continues although a signal cannot be read, or its workflow has the arguments, the type or the queue of nobody', async () => {
  const client = connectTemporal({ ...stack.temporal, taskQueue: 'none' });
  const [signalled = '', ...replaced] = await Promise.all(
    [182, 183, 184, 185].map((seed) => createVault(stack, person(seed).address)),
  );
  for (const vaultId of [signalled, ...replaced]) await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const handleOf = (vaultId: string) => client.workflow.getHandle(vaultWorkflowId(vaultId));
  const { taskQueue } = await handleOf(signalled).describe();
  await signalGarbage(client, vaultWorkflowId(signalled));
  const starts = [
    { type: 'vault', taskQueue },
    { type: 'anchorSubmitter', taskQueue },
    { type: 'vault', taskQueue: 'of nobody' },
  ];
  for (const [index, { type, ...options }] of starts.entries()) {
    const workflowId = vaultWorkflowId(replaced[index]!);
    await client.workflow.getHandle(workflowId).terminate();
    await client.workflow.start(type, { ...options, workflowId, workflowIdReusePolicy: 'ALLOW_DUPLICATE' });
  }
  const schedule = client.schedule.getHandle(lostWorkflowsId);
  await until(
    async () => {
      await schedule.trigger();
      await pause(1000);
      return (await restarts('vault', 'STUCK')) === 4;
    },
    { what: 'the vaults to be started again', deadlineMs: 60_000 },
  );
  await advance(stack, 14 * 86_400);
  for (const vaultId of [signalled, ...replaced]) await waitForVaultStatus(stack, vaultId, 'TERMINATED');
  expect(await restarts('vault', 'STUCK')).toBe(4);
  await client.connection.close();
});

test('a workflow that somebody starts ahead of time ends nothing, and an operator sees why it waits', async () => {
  const client = connectTemporal({ ...stack.temporal, taskQueue: 'none' });
  const vaultId = await createVault(stack, person(186).address);
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const { taskQueue } = await client.workflow.getHandle(vaultWorkflowId(vaultId)).describe();
  const args = [{ vaultId, clockOffsetMs: 400 * 86_400_000 }];
  const ahead = await client.workflow.start('vault', { workflowId: 'ahead', taskQueue, args });
  await until(async () => (await workflowDetails(stack, 'ahead')).includes('ahead of the time of this worker'), {
    what: 'the workflow to be refused',
  });
  const rows = await stack.sql.run`select kind, status from windows where vault_id = ${vaultId} order by kind`;
  expect(rows).toEqual([
    { kind: 'asset', status: 'ACTIVE' },
    { kind: 'investment', status: 'ACTIVE' },
  ]);
  await ahead.terminate();
  await client.connection.close();
});
