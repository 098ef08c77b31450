import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { person } from '../vault-lifecycle/participants.ts';
import { advance, createVault, waitForVaultStatus } from '../vault-lifecycle/vault-requests.ts';

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
