import { expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { mineUntil } from './mine-until.ts';
import { person } from './participants.ts';
import { waitForVaultStatus, createVault } from './vault-requests.ts';

/** One output of 10,000 ADA: an operator that was just funded. */
const operatorFunds = { lovelace: 10_000_000_000n, count: 1 };

test('one large operator output is split once, and ten vaults created at once do not wait for each other', async () => {
  await using stack = await testStack({ operatorFunds, blockMs: 0 });
  await runSweeps(stack, 5);
  const split = async () => (await readSplits(stack)).some(({ state }) => state === 'confirmed' || state === 'final');
  await mineUntil(stack, until(split, { what: 'the split to be confirmed' }));

  const begun = performance.now();
  const vaults = await Promise.all(Array.from({ length: 10 }, () => createVault(stack, person(71).address)));
  // No block is mined before all ten creations are in the mempool.
  await until(async () => (await stack.ledger.mempoolSize()) === 10, { what: 'all ten creations to be sent' });
  await mineUntil(stack, Promise.all(vaults.map((vaultId) => waitForVaultStatus(stack, vaultId, 'ACTIVE'))));
  process.stdout.write(`10 vaults at once took ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);

  // No creation spends an output of another creation.
  const chained = await stack.sql.run`select 1 from chain_transactions t
      join chain_transactions p on t.kind = 'create_vault' and p.kind = 'create_vault'
      and exists (select from jsonb_array_elements(t.inputs) i where i ->> 'txHash' = p.hash)`;
  expect(chained).toEqual([]);
  await runSweeps(stack, 2);
  expect(await readSplits(stack)).toHaveLength(1);
});

/** Runs several sweeps concurrently, as several workers would. */
async function runSweeps({ temporal: { address, namespace } }: TestStack, times: number): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection, namespace });
    const sweep = (_: unknown, number: number) =>
      client.workflow.execute('sweep', { taskQueue: 'vaults', workflowId: `sweep-at-once-${times}-${number}` });
    await Promise.all(Array.from({ length: times }, sweep));
  } finally {
    await connection.close();
  }
}

async function readSplits({ sql }: TestStack): Promise<{ state: string }[]> {
  const rows = await sql.run<{ state: string }>`select state from chain_transactions where kind = 'fan_out'`;
  return rows;
}
