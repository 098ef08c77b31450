import { test } from '@jest/globals';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { searchAttributes } from '../../src/platform/temporal/search-attributes.ts';
import { vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { mineUntil } from './mine-until.ts';
import { contribute, fundWallet, invest, person, waitForTransaction } from './participants.ts';
import { advance, waitForVaultStatus, createVault } from './vault-requests.ts';

const WEEK = 7 * 86_400;

/** Waits until the search attributes of the vault's workflow show this status and a matching phase. */
async function waitForSearchAttributes(stack: TestStack, vaultId: string, status: string, phase = /./): Promise<void> {
  const client = connectTemporal({ ...stack.temporal, taskQueue: 'none' });
  await until(
    async () => {
      const { typedSearchAttributes: found } = await client.workflow.getHandle(vaultWorkflowId(vaultId)).describe();
      return found.get(searchAttributes.vaultStatus) === status && phase.test(found.get(searchAttributes.phase) ?? '');
    },
    { what: `the search attributes of ${vaultId} to show ${status} in ${phase}` },
  );
  await client.connection.close();
}

const stackOfFile = fileStack({ blockMs: 0 });

test('the search attributes in Temporal follow the status of a vault, also through a rollback', async () => {
  const stack = stackOfFile();
  const [owner, investor] = [person(111), person(112)];
  const vaultId = await createVault(stack, owner.address);
  await waitForSearchAttributes(stack, vaultId, 'DRAFT', /window/);
  await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'ACTIVE'));
  await waitForSearchAttributes(stack, vaultId, 'ACTIVE', /^asset_window_closes$/);

  const policyId = await mineUntil(stack, fundWallet(stack, owner, { ada: 100, assets: { Oak: 1 } }));
  await mineUntil(stack, fundWallet(stack, investor, { ada: 200_000 }));
  const { hash: added } = await contribute(stack, vaultId, owner, { policyId, name: 'Oak' });
  const { hash: invested } = await invest(stack, vaultId, investor, 100_000_000_000);
  for (const hash of [added, invested]) await mineUntil(stack, waitForTransaction(stack, hash, ['confirmed', 'final']));
  await advance(stack, WEEK);
  await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'LOCKED'));
  await waitForSearchAttributes(stack, vaultId, 'LOCKED', /^governance$/);

  const { rows } = await stack.sql.query<{ height: string }>(
    `select block_height as height from chain_transactions where vault_id = $1 and kind = 'liquidity'`,
    [vaultId],
  );
  const tip = await stack.ledger.query<{ height: number }>('/blocks/latest');
  await stack.ledger.rollback((tip?.height ?? 0) - Number(rows[0]?.height) + 1);
  await waitForSearchAttributes(stack, vaultId, 'ACTIVE');
  await mineUntil(stack, waitForSearchAttributes(stack, vaultId, 'LOCKED'));
});

test('the search attributes in Temporal show a vault that ended without a settlement', async () => {
  const stack = stackOfFile();
  const vaultId = await createVault(stack, person(113).address);
  await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'ACTIVE'));
  await stack.api.post(`/vaults/${vaultId}/cancel`);
  await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'TERMINATED'));
  await waitForSearchAttributes(stack, vaultId, 'TERMINATED', /^ended$/);
});
