import { expect, test } from '@jest/globals';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import { testStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { person } from '../vault-lifecycle/participants.ts';
import { createVault, waitForVaultStatus } from '../vault-lifecycle/vault-requests.ts';

test('what a block says of a transaction and cannot be recorded is counted', async () => {
  await using stack = await testStack();
  const vaultId = await createVault(stack, person(67).address);
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const unrecorded = async () =>
    valueOf(await readMetrics(stack.metricsUrl('worker')), 'unrecorded_transactions_total') ?? -1;
  expect(await unrecorded()).toBe(0);
  // It is to become final with the next block.
  await stack.sql.run`insert into chain_transactions
      select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'hash', repeat('0', 64),
      'state', 'confirmed', 'block_height', 1, 'inputs', '[{"lovelace": "none"}]'::jsonb))).* from chain_transactions t where vault_id = ${vaultId}`;
  await until(async () => (await unrecorded()) > 0, { what: 'the transaction to be counted' });
});
