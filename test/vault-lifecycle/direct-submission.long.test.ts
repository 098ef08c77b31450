import { expect, test } from '@jest/globals';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { transactionWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { fileStack } from '../stack/file-stack.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { mineUntil } from './mine-until.ts';
import { requestAddAsset, fundWallet, submitWitnesses, holdings, person, waitForTransaction } from './participants.ts';
import { rollBackFrom } from './roll-back-transactions.ts';
import { sendAllToSelf, submitDirectly } from './direct-submission.ts';
import { waitForVaultStatus, createVault } from './vault-requests.ts';

async function assetStatuses({ sql }: TestStack, vaultId: string): Promise<string[]> {
  const rows = await sql.run<{ status: string }>`select status from assets where vault_id = ${vaultId}`;
  return rows.map(({ status }) => status);
}

const countedAssets = async ({ sql }: TestStack, vaultId: string) =>
  (await sql.run<{ counted_assets: number }>`select counted_assets from vaults where id = ${vaultId}`)[0]
    ?.counted_assets;

const stackOfFile = fileStack({ blockMs: 0 });

test('a deposit that its wallet sent directly is confirmed again with the same bytes after a rollback', async () => {
  await using stack = await testStack();
  const owner = person(81);
  const vaultId = await createVault(stack, owner.address);
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Anchor: 1 } });
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const { body } = await requestAddAsset(stack, vaultId, owner, { policyId, name: 'Anchor' });
  const { tx_hash: hash, unsigned_tx: unsigned } = body.transaction;
  await submitDirectly(stack, owner, unsigned);
  await waitForTransaction(stack, hash, ['final']);
  expect([await assetStatuses(stack, vaultId), await countedAssets(stack, vaultId)]).toEqual([['LOCKED'], 1]);

  await rollBackFrom(stack, [hash]);
  await waitForTransaction(stack, hash, ['confirmed', 'final']);
  expect([await assetStatuses(stack, vaultId), await countedAssets(stack, vaultId)]).toEqual([['LOCKED'], 1]);
});

test('a superseded deposit that is confirmed after all counts, and is refunded with its vault', async () => {
  const stack = stackOfFile();
  const owner = person(82);
  const [first, second] = [await createVault(stack, owner.address), await createVault(stack, owner.address)];
  const policyId = await mineUntil(stack, fundWallet(stack, owner, { ada: 100, assets: { Twin: 1 } }));
  for (const vaultId of [first, second]) await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'ACTIVE'));
  const given = (await requestAddAsset(stack, first, owner, { policyId, name: 'Twin' })).body.transaction;
  const newer = await requestAddAsset(stack, second, owner, { policyId, name: 'Twin' });
  expect(newer.status).toBe(201);

  await submitDirectly(stack, owner, given.unsigned_tx);
  await submitWitnesses(stack, owner, newer.body.transaction);
  // Both are signed before the next block, so the ledger decides which one is confirmed.
  await mineUntil(stack, waitForTransaction(stack, given.tx_hash, ['confirmed', 'final']));
  expect([await assetStatuses(stack, first), await countedAssets(stack, first)]).toEqual([['LOCKED'], 1]);
  await until(async () => (await assetStatuses(stack, second))[0] === 'RELEASED', { what: 'the newer attempt to end' });
  await mineUntil(stack, waitForTransaction(stack, newer.body.transaction.tx_hash, ['failed']));
  expect(await countedAssets(stack, second)).toBe(0);

  await stack.api.post(`/vaults/${first}/cancel`);
  await mineUntil(stack, waitForVaultStatus(stack, first, 'TERMINATED'));
  expect((await holdings(stack, owner.address)).get(policyId + Buffer.from('Twin').toString('hex'))).toBe(1n);
});

test('a deposit whose input another transaction spent fails once that one is final, and is confirmed if that one is rolled back', async () => {
  const stack = stackOfFile();
  const owner = person(83);
  const vaultId = await createVault(stack, owner.address);
  const policyId = await mineUntil(stack, fundWallet(stack, owner, { ada: 100, assets: { Reed: 1, Rush: 1 } }));
  await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'ACTIVE'));

  const recovered = (await requestAddAsset(stack, vaultId, owner, { policyId, name: 'Reed' })).body.transaction;
  await sendAllToSelf(stack, owner);
  await stack.ledger.mine();
  await submitWitnesses(stack, owner, recovered);
  await waitForRetry(stack, recovered.tx_hash);
  expect(await assetStatuses(stack, vaultId)).toEqual(['PENDING']);
  await stack.ledger.rollback(1);
  await until(async () => (await stack.ledger.mempoolSize()) > 0, {
    what: 'the deposit to be sent',
  });
  await mineUntil(stack, waitForTransaction(stack, recovered.tx_hash, ['confirmed', 'final']));
  expect([await assetStatuses(stack, vaultId), await countedAssets(stack, vaultId)]).toEqual([['LOCKED'], 1]);

  const late = (await requestAddAsset(stack, vaultId, owner, { policyId, name: 'Rush' })).body.transaction;
  await sendAllToSelf(stack, owner);
  await stack.ledger.mine(4);
  await submitWitnesses(stack, owner, late);
  await waitForTransaction(stack, late.tx_hash, ['failed']);
  const rows = await stack.sql.run`select status, release_reason as reason from assets
      where vault_id = ${vaultId} and status = 'RELEASED'`;
  expect([rows, await countedAssets(stack, vaultId)]).toEqual([[{ status: 'RELEASED', reason: 'failed' }], 1]);
});

/** Waits until the ledger has refused the transaction and its submission is being retried. */
async function waitForRetry({ sql, temporal }: TestStack, hash: string): Promise<void> {
  const rows = await sql.run<{ id: string }>`select id from chain_transactions where hash = ${hash}`;
  const client = connectTemporal({ ...temporal, taskQueue: 'none' });
  await until(
    async () => {
      const { raw } = await client.workflow.getHandle(transactionWorkflowId(rows[0]?.id ?? '')).describe();
      return raw.pendingActivities?.some(({ attempt }) => (attempt ?? 0) > 1);
    },
    { what: 'the ledger to refuse the deposit' },
  );
  await client.connection.close();
}
