import { expect, test } from '@jest/globals';
import { operator } from '../stack/operator.ts';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { mineUntil } from './mine-until.ts';
import {
  contribute,
  fundWallet,
  person,
  requestAddAsset,
  submitWitnesses,
  waitForTransaction,
} from './participants.ts';
import { createVault, readVault, waitForVaultStatus } from './vault-requests.ts';

async function statusOf({ sql }: TestStack, assetId: string): Promise<string | undefined> {
  const { rows } = await sql.query<{ status: string }>('select status from assets where id = $1', [assetId]);
  return rows[0]?.status;
}

const waitForStatus = (stack: TestStack, assetId: string, status: string) =>
  until(async () => (await statusOf(stack, assetId)) === status, { what: `asset ${assetId} to be ${status}` });

async function countedAssets({ sql }: TestStack, vaultId: string): Promise<number | undefined> {
  const { rows } = await sql.query<{ n: number }>('select counted_assets as n from vaults where id = $1', [vaultId]);
  return rows[0]?.n;
}

async function removalOf({ sql }: TestStack, assetId: string): Promise<{ hash: string; height: number }> {
  const { rows } = await sql.query<{ hash: string; height: string }>(
    `select t.hash, t.block_height as height from chain_transactions t join assets a on a.remove_transaction_id = t.id
      where a.id = $1`,
    [assetId],
  );
  return { hash: rows[0]?.hash ?? '', height: Number(rows[0]?.height) };
}

async function countQuarantined({ sql }: TestStack): Promise<number> {
  return (await sql.query('select 1 from quarantine')).rows.length;
}

test.each(['unsigned', 'signed'] as const)(
  'a rolled back removal of an NFT that its owner asked for again (%s) stops neither the vault nor any other',
  async (again) => {
    await using stack = await testStack({ blockMs: 0 });
    const [owner, other] = [person(101), person(102)];
    const [vaultId, otherVault] = [await createVault(stack, owner.address), await createVault(stack, other.address)];
    const policyId = await mineUntil(stack, fundWallet(stack, owner, { ada: 100, assets: { Kite: 1 } }));
    const otherPolicy = await mineUntil(stack, fundWallet(stack, other, { ada: 100, assets: { Drum: 1 } }));
    for (const id of [vaultId, otherVault]) await mineUntil(stack, waitForVaultStatus(stack, id, 'ACTIVE'));
    const { assetId, hash } = await contribute(stack, vaultId, owner, { policyId, name: 'Kite' });
    await mineUntil(stack, waitForTransaction(stack, hash, ['final']));
    expect((await stack.api.del(`/vaults/${vaultId}/assets/${assetId}`)).status).toBe(200);
    await mineUntil(stack, waitForStatus(stack, assetId, 'RELEASED'));
    const removal = await removalOf(stack, assetId);

    const { body } = await requestAddAsset(stack, vaultId, owner, { policyId, name: 'Kite' });
    if (again === 'signed') await submitWitnesses(stack, owner, body.transaction);
    if (again === 'signed') await waitForTransaction(stack, body.transaction.tx_hash, ['submitted']);
    await stack.ledger.rollbackFrom(removal.height);
    await waitForTransaction(stack, removal.hash, ['submitted']);
    expect([await statusOf(stack, assetId), await statusOf(stack, body.asset_id)]).toEqual(['LOCKED', 'RELEASED']);
    expect(await countedAssets(stack, vaultId)).toBe(1);

    await mineUntil(stack, waitForTransaction(stack, removal.hash, ['confirmed', 'final']));
    const unaffected = await contribute(stack, otherVault, other, { policyId: otherPolicy, name: 'Drum' });
    await mineUntil(stack, waitForStatus(stack, unaffected.assetId, 'LOCKED'));
    expect(await statusOf(stack, assetId)).toBe('RELEASED');
    if (again === 'signed') await mineUntil(stack, waitForStatus(stack, body.asset_id, 'LOCKED'));
    expect([await countedAssets(stack, vaultId), await countQuarantined(stack)]).toEqual([
      again === 'signed' ? 1 : 0,
      0,
    ]);
  },
);

test('a consequence that always throws is quarantined, the rest of its block is recorded, and an operator can retry it', async () => {
  await using stack = await testStack({ blockMs: 0 });
  const [owner, other] = [person(103), person(104)];
  const [vaultId, otherVault] = [await createVault(stack, owner.address), await createVault(stack, other.address)];
  const policyId = await mineUntil(stack, fundWallet(stack, owner, { ada: 100, assets: { Bell: 1 } }));
  const otherPolicy = await mineUntil(stack, fundWallet(stack, other, { ada: 100, assets: { Lamp: 1 } }));
  for (const id of [vaultId, otherVault]) await mineUntil(stack, waitForVaultStatus(stack, id, 'ACTIVE'));
  const broken = await contribute(stack, vaultId, owner, { policyId, name: 'Bell' });
  const unaffected = await contribute(stack, otherVault, other, { policyId: otherPolicy, name: 'Lamp' });
  await until(async () => (await stack.ledger.mempoolSize()) === 2, { what: 'both deposits to be sent' });
  await stack.sql.query(
    `alter table assets add constraint broken check (id <> '${broken.assetId}' or status <> 'LOCKED')`,
  );

  await mineUntil(stack, waitForTransaction(stack, broken.hash, ['final']));
  await waitForTransaction(stack, unaffected.hash, ['final']);
  expect([await statusOf(stack, broken.assetId), await statusOf(stack, unaffected.assetId)]).toEqual([
    'PENDING',
    'LOCKED',
  ]);
  expect((await readVault(stack, vaultId)).holds).toMatchObject([{ reason: 'quarantined' }]);
  expect((await readVault(stack, otherVault)).holds).toEqual([]);
  const metrics = await readMetrics(stack.metricsUrl('api'));
  expect(valueOf(metrics, 'quarantined_transactions')).toBe(1);
  expect(await operator(stack, 'quarantine', 'list')).toContain(broken.hash);
  await expect(operator(stack, 'quarantine', 'retry')).rejects.toThrow();
  await expect(operator(stack, 'quarantine', 'retry', unaffected.hash)).rejects.toMatchObject({
    code: 1,
    stdout: `Transaction ${unaffected.hash} is not in quarantine.\n`,
  });
  expect(await countQuarantined(stack)).toBeGreaterThan(0);

  await stack.sql.query('alter table assets drop constraint broken');
  expect(await operator(stack, 'quarantine', 'retry', broken.hash)).toContain(`${broken.hash} recorded`);
  expect([await statusOf(stack, broken.assetId), await countQuarantined(stack)]).toEqual(['LOCKED', 0]);
  expect((await readVault(stack, vaultId)).holds).toEqual([]);
});
