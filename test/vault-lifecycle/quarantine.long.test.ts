import { expect, test } from '@jest/globals';
import { operator } from '../stack/operator.ts';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
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
  const rows = await sql.run<{ status: string }>`select status from assets where id = ${assetId}`;
  return rows[0]?.status;
}

const waitForStatus = (stack: TestStack, assetId: string, status: string) =>
  until(async () => (await statusOf(stack, assetId)) === status, { what: `asset ${assetId} to be ${status}` });

async function countedAssets({ sql }: TestStack, vaultId: string): Promise<number | undefined> {
  const rows = await sql.run<{ n: number }>`select counted_assets as n from vaults where id = ${vaultId}`;
  return rows[0]?.n;
}

/** The transaction that took an asset out of its vault. */
async function returnOf({ sql }: TestStack, assetId: string): Promise<{ hash: string; height: number }> {
  const { rows } = await sql.query<{ hash: string; height: string }>(
    `select t.hash, t.block_height as height from chain_transactions t
      where t.id in (select remove_transaction_id from assets where id = $1
        union select transaction_id from transaction_deposits where deposit_id = $1)
        and t.kind in ('remove_asset', 'refund')`,
    [assetId],
  );
  return { hash: rows[0]?.hash ?? '', height: Number(rows[0]?.height) };
}

async function countQuarantined({ sql }: TestStack): Promise<number> {
  return (await sql.run`select 1 from quarantine`).length;
}

const stackOfFile = fileStack({ blockMs: 0 });

test.each([
  ['unsigned', 101, 'Kite', 'Drum'],
  ['signed', 105, 'Dove', 'Harp'],
] as const)(
  'a rolled back removal of an NFT that its owner asked for again (%s) stops neither the vault nor any other',
  async (again, first, nft, otherNft) => {
    const stack = stackOfFile();
    const [owner, other] = [person(first), person(first + 1)];
    const [vaultId, otherVault] = [await createVault(stack, owner.address), await createVault(stack, other.address)];
    const policyId = await mineUntil(stack, fundWallet(stack, owner, { ada: 100, assets: { [nft]: 1 } }));
    const otherPolicy = await mineUntil(stack, fundWallet(stack, other, { ada: 100, assets: { [otherNft]: 1 } }));
    for (const id of [vaultId, otherVault]) await mineUntil(stack, waitForVaultStatus(stack, id, 'ACTIVE'));
    const { assetId, hash } = await contribute(stack, vaultId, owner, { policyId, name: nft });
    await mineUntil(stack, waitForTransaction(stack, hash, ['final']));
    expect((await stack.api.del(`/vaults/${vaultId}/assets/${assetId}`)).status).toBe(200);
    await mineUntil(stack, waitForStatus(stack, assetId, 'RELEASED'));
    const removal = await returnOf(stack, assetId);

    const { body } = await requestAddAsset(stack, vaultId, owner, { policyId, name: nft });
    if (again === 'signed') await submitWitnesses(stack, owner, body.transaction);
    if (again === 'signed') await waitForTransaction(stack, body.transaction.tx_hash, ['submitted']);
    await stack.ledger.rollbackFrom(removal.height);
    await waitForTransaction(stack, removal.hash, ['submitted']);
    expect([await statusOf(stack, assetId), await statusOf(stack, body.asset_id)]).toEqual(['LOCKED', 'RELEASED']);
    expect(await countedAssets(stack, vaultId)).toBe(1);

    await mineUntil(stack, waitForTransaction(stack, removal.hash, ['confirmed', 'final']));
    const unaffected = await contribute(stack, otherVault, other, { policyId: otherPolicy, name: otherNft });
    await mineUntil(stack, waitForStatus(stack, unaffected.assetId, 'LOCKED'));
    expect(await statusOf(stack, assetId)).toBe('RELEASED');
    if (again === 'signed') await mineUntil(stack, waitForStatus(stack, body.asset_id, 'LOCKED'));
    expect([await countedAssets(stack, vaultId), await countQuarantined(stack)]).toEqual([
      again === 'signed' ? 1 : 0,
      0,
    ]);
  },
);

test('a rolled back refund of an NFT that its owner asked for again in another vault stops neither of them', async () => {
  const stack = stackOfFile();
  const owner = person(107);
  const [failed, next] = [await createVault(stack, owner.address), await createVault(stack, owner.address)];
  const policyId = await mineUntil(stack, fundWallet(stack, owner, { ada: 100, assets: { Rook: 1 } }));
  for (const id of [failed, next]) await mineUntil(stack, waitForVaultStatus(stack, id, 'ACTIVE'));
  const nft = { policyId, name: 'Rook' };
  const { assetId, hash } = await contribute(stack, failed, owner, nft);
  await mineUntil(stack, waitForTransaction(stack, hash, ['final']));
  expect((await stack.api.post(`/vaults/${failed}/cancel`)).status).toBe(200);
  await mineUntil(stack, waitForStatus(stack, assetId, 'RELEASED'));
  const refund = await returnOf(stack, assetId);

  const { body } = await requestAddAsset(stack, next, owner, nft);
  await stack.ledger.rollbackFrom(refund.height);
  await waitForTransaction(stack, refund.hash, ['submitted']);
  expect([await statusOf(stack, assetId), await statusOf(stack, body.asset_id)]).toEqual(['LOCKED', 'RELEASED']);

  await mineUntil(stack, waitForTransaction(stack, refund.hash, ['confirmed', 'final']));
  await mineUntil(stack, waitForVaultStatus(stack, failed, 'TERMINATED'));
  const again = await contribute(stack, next, owner, nft);
  await mineUntil(stack, waitForStatus(stack, again.assetId, 'LOCKED'));
  expect([await statusOf(stack, assetId), await countQuarantined(stack)]).toEqual(['RELEASED', 0]);
});

test('an effect that always throws is quarantined, the rest of its block is recorded, and an operator can retry it', async () => {
  const stack = stackOfFile();
  const [owner, other] = [person(103), person(104)];
  const [vaultId, otherVault] = [await createVault(stack, owner.address), await createVault(stack, other.address)];
  const policyId = await mineUntil(stack, fundWallet(stack, owner, { ada: 100, assets: { Bell: 1, Gong: 1 } }));
  const otherPolicy = await mineUntil(stack, fundWallet(stack, other, { ada: 100, assets: { Lamp: 1 } }));
  for (const id of [vaultId, otherVault]) await mineUntil(stack, waitForVaultStatus(stack, id, 'ACTIVE'));
  const sound = await contribute(stack, vaultId, owner, { policyId, name: 'Gong' });
  await mineUntil(stack, waitForStatus(stack, sound.assetId, 'LOCKED'));
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
    stdout: `Transaction ${unaffected.hash} is not in quarantine. Run "quarantine list" to see the hashes.\n`,
  });
  expect(await countQuarantined(stack)).toBeGreaterThan(0);

  // The vault fails: what is recorded goes back, and the vault waits for the rest.
  expect((await stack.api.post(`/vaults/${vaultId}/cancel`)).status).toBe(200);
  await mineUntil(stack, waitForStatus(stack, sound.assetId, 'RELEASED'));
  const refund = await returnOf(stack, sound.assetId);
  await mineUntil(stack, waitForTransaction(stack, refund.hash, ['final']));
  expect((await readVault(stack, vaultId)).status).toBe('ACTIVE');

  await stack.sql.run`alter table assets drop constraint broken`;
  expect(await operator(stack, 'quarantine', 'retry', broken.hash)).toContain(`${broken.hash} recorded`);
  expect([await statusOf(stack, broken.assetId), await countQuarantined(stack)]).toEqual(['LOCKED', 0]);
  expect((await readVault(stack, vaultId)).holds).toEqual([]);
  await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'TERMINATED'));
  expect(await statusOf(stack, broken.assetId)).toBe('RELEASED');
});
