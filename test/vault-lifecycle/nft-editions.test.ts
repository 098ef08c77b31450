import { expect, test } from '@jest/globals';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { submitDirectly } from './direct-submission.ts';
import { mineUntil } from './mine-until.ts';
import { contribute, fundWallet, holdings, person, requestAddAsset, waitForTransaction } from './participants.ts';
import { rollBackFrom } from './roll-back-transactions.ts';
import { createVault, waitForVaultStatus } from './vault-requests.ts';
import { errorResponse } from '../stack/error-response.ts';

interface Row {
  readonly status: string;
  readonly type: string;
  readonly counted: number;
}

/** The assets of a vault, and how many it counts. */
async function assetsOf({ sql }: TestStack, vaultId: string): Promise<Row[]> {
  const rows = await sql.run<Row>`select a.status, a.type, v.counted_assets as counted
      from assets a join vaults v on v.id = a.vault_id
      where v.id = ${vaultId} order by a.added_at`;
  return rows;
}

/** The addresses that hold an asset, one for each base unit. */
async function holdersOf({ ledger }: TestStack, unit: string): Promise<string[]> {
  const held = await ledger.query<{ address: string; quantity: string }[]>(`/assets/${unit}/addresses`);
  return (held ?? []).flatMap(({ address, quantity }) => Array<string>(Number(quantity)).fill(address)).sort();
}

/** The address to which a transaction has sent its deposit. */
async function depositAddress({ ledger }: TestStack, hash: string): Promise<string> {
  const sent = await ledger.query<{ outputs: { address: string }[] }>(`/txs/${hash}/utxos`);
  return sent?.outputs[0]?.address ?? 'none';
}

const unitOf = (policyId: string, name: string) => policyId + Buffer.from(name).toString('hex');
const confirmed = ['confirmed', 'final'];

test('a deposit of an edition stays when a rival is confirmed a request that was made before it, across vaults', async () => {
  await using stack = await testStack({ blockMs: 0 });
  const [rival, stranger] = [person(181), person(182)];
  const [first, second] = [await createVault(stack, rival.address), await createVault(stack, stranger.address)];
  const policyId = await mineUntil(stack, fundWallet(stack, rival, { ada: 100, assets: { Print: 1 } }));
  for (const vaultId of [first, second]) await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'ACTIVE'));
  const asset = { policyId, name: 'Print' };
  // The only one there is, so it is accepted as an NFT. Nobody signs it yet.
  const unsigned = (await requestAddAsset(stack, first, rival, asset)).body.transaction;
  expect(await assetsOf(stack, first)).toEqual([{ status: 'PENDING', type: 'NFT', counted: 0 }]);
  await mineUntil(stack, fundWallet(stack, stranger, { ada: 100, assets: { Print: 1 } }));

  const { hash } = await contribute(stack, second, stranger, asset);
  await mineUntil(stack, waitForTransaction(stack, hash, confirmed));
  await submitDirectly(stack, rival, unsigned.unsigned_tx);
  await mineUntil(stack, waitForTransaction(stack, unsigned.tx_hash, confirmed));

  const inVault = [{ status: 'LOCKED', type: 'CNT', counted: 1 }];
  expect([await assetsOf(stack, first), await assetsOf(stack, second)]).toEqual([inVault, inVault]);
  const deposits = [await depositAddress(stack, unsigned.tx_hash), await depositAddress(stack, hash)];
  expect(await holdersOf(stack, unitOf(policyId, 'Print'))).toEqual(deposits.sort());

  for (const vaultId of [first, second]) await stack.api.post(`/vaults/${vaultId}/cancel`);
  for (const vaultId of [first, second]) await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'TERMINATED'));
  for (const { address } of [rival, stranger])
    expect((await holdings(stack, address)).get(unitOf(policyId, 'Print'))).toBe(1n);
});

test('one of an edition is no NFT, whatever its owner says', async () => {
  await using stack = await testStack();
  const owner = person(183);
  const vaultId = await createVault(stack, owner.address);
  const nftOnly = await createVault(stack, owner.address, { asset: { allowed_asset_types: ['NFT'] } });
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Print: 2 } });
  for (const id of [vaultId, nftOnly]) await waitForVaultStatus(stack, id, 'ACTIVE');
  const body = { policy_id: policyId, asset_name: 'Print', wallet_address: owner.address };
  const named = await stack.api.post(`/vaults/${vaultId}/assets`, { ...body, type: 'NFT' });
  expect(named).toMatchObject(errorResponse(400, 'INVALID_QUANTITY'));
  const refused = await stack.api.post(`/vaults/${nftOnly}/assets`, body);
  expect(refused).toMatchObject(errorResponse(400, 'ASSET_TYPE_NOT_ALLOWED'));
  expect(await stack.api.post(`/vaults/${vaultId}/assets`, body)).toMatchObject({
    status: 201,
    body: { type: 'CNT', valuation: { method: 'dex_price' } },
  });
});

test('a removal that is rolled back after its NFT was added to another vault stops nobody', async () => {
  await using stack = await testStack({ blockMs: 0 });
  const owner = person(184);
  const [first, second] = [await createVault(stack, owner.address), await createVault(stack, owner.address)];
  const policyId = await mineUntil(stack, fundWallet(stack, owner, { ada: 100, assets: { Well: 1 } }));
  for (const vaultId of [first, second]) await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'ACTIVE'));
  const asset = { policyId, name: 'Well' };
  const added = await contribute(stack, first, owner, asset);
  await mineUntil(stack, waitForTransaction(stack, added.hash, ['final']));
  const removal = await stack.api.del<{ data: { transactionHash: string } }>(
    `/vaults/${first}/assets/${added.assetId}`,
  );
  const removed = removal.body.data.transactionHash;
  await mineUntil(stack, waitForTransaction(stack, removed, confirmed));
  const again = (await requestAddAsset(stack, second, owner, asset)).body.transaction;

  await rollBackFrom(stack, [removed]);
  await until(async () => (await stack.ledger.mempoolSize()) > 0, { what: 'the removal to be sent again' });
  await mineUntil(stack, waitForTransaction(stack, removed, confirmed));
  await submitDirectly(stack, owner, again.unsigned_tx);
  await mineUntil(stack, waitForTransaction(stack, again.tx_hash, ['final']));
  expect(await assetsOf(stack, first)).toEqual([{ status: 'RELEASED', type: 'NFT', counted: 0 }]);
  expect(await assetsOf(stack, second)).toEqual([{ status: 'LOCKED', type: 'NFT', counted: 1 }]);
  expect(await holdersOf(stack, unitOf(policyId, 'Well'))).toEqual([await depositAddress(stack, again.tx_hash)]);
});
