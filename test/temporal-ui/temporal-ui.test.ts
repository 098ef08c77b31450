import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { workflowDetails } from '../stack/workflow-details.ts';
import { person } from '../vault-lifecycle/participants.ts';
import { advance, createVault, readVault, waitForVaultStatus } from '../vault-lifecycle/vault-requests.ts';

let stack: TestStack;
let client: Client;
beforeAll(async () => {
  stack = await testStack();
  client = connectTemporal({ ...stack.temporal, taskQueue: 'none' });
});
afterAll(async () => {
  await client.connection.close();
  await stack[Symbol.asyncDispose]();
});

/** The types of the workflows that Temporal lists for a query; the UI opens with the empty one. */
async function listedTypes(query: string): Promise<Set<string>> {
  const runs = await Array.fromAsync(client.workflow.list({ query }));
  return new Set(runs.map(({ type }) => type));
}

test('the list that the Temporal UI opens with shows vaults and what belongs to them, and no upkeep', async () => {
  const vaultId = await createVault(stack, person(231).address);
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  await advance(stack, 60);
  await client.schedule.getHandle('sweep').trigger();
  const upkeep = await until(
    async () => {
      const types = await listedTypes(`TemporalNamespaceDivision = 'upkeep'`);
      return types.has('sweep') && types.has('valuationRefresh') && types;
    },
    { what: 'the runs of two Schedules' },
  );

  const listed = await listedTypes('');
  expect(listed).toContain('vault');
  expect([...listed].filter((type) => upkeep.has(type))).toEqual([]);
  expect(await listedTypes(`VaultId = '${vaultId}'`)).toContain('vault');
  expect((await client.workflow.getHandle(vaultWorkflowId(vaultId)).describe()).status.name).toBe('RUNNING');
});

test('a vault shows its name and type, also a long one, and a next run shows them with what it waits for', async () => {
  const name = '🏠'.repeat(50) + 'x'.repeat(50);
  const vaultId = await createVault(stack, person(232).address, {
    vault: { vault_name: name, vault_type: 'PRIVATE', privacy_type: 'PRIVATE' },
  });
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const handle = client.workflow.getHandle(vaultWorkflowId(vaultId));
  const firstRun = await handle.describe();
  const summary = `${'🏠'.repeat(50)}${'x'.repeat(10)}… (PRIVATE)`;
  expect(await firstRun.staticSummary()).toBe(summary);

  const isNextRun = async () => {
    await Promise.all(Array.from({ length: 20 }, () => handle.signal('transactionChanged')));
    return (await handle.describe()).runId !== firstRun.runId;
  };
  await until(isNextRun, { what: 'a next run' });
  const vault = await readVault(stack, vaultId);
  const shown = `Waiting until the asset window closes.\n\nUntil **${vault.assetWindow.endTime}**.\n\n${summary}`;
  const isShown = async () => (await workflowDetails(stack, vaultWorkflowId(vaultId))) === shown;
  await until(isShown, { what: `the next run to show "${shown}"` });
});
