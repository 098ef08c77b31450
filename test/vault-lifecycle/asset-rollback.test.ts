import { expect, test } from '@jest/globals';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { requestAddAsset, fundWallet, submitWitnesses, person } from './participants.ts';
import { createVault, readVault } from './vault-requests.ts';

interface AssetRow {
  readonly status: string;
  readonly state: string;
  readonly hash: string;
}

async function assetIn(stack: TestStack, vaultId: string): Promise<AssetRow | undefined> {
  const rows = await stack.sql.run<AssetRow>`select a.status, t.state, t.hash
      from assets a join chain_transactions t on t.id = a.add_transaction_id
      where a.vault_id = ${vaultId}`;
  return rows[0];
}

test('an asset whose block is rolled back is PENDING until the same bytes are confirmed again', async () => {
  await using stack = await testStack({ blockMs: 0 });
  const owner = person(21);
  const vaultId = await createVault(stack, owner.address);
  await until(
    async () => {
      await stack.ledger.mine();
      return (await readVault(stack, vaultId)).status === 'ACTIVE';
    },
    { what: 'the vault to be ACTIVE' },
  );
  const funding = fundWallet(stack, owner, { ada: 100, assets: { Statue: 1 } });
  await until(async () => (await stack.ledger.mempoolSize()) > 0, {
    what: 'the faucet transaction to be in the mempool',
  });
  await stack.ledger.mine(4);
  const { body } = await requestAddAsset(stack, vaultId, owner, { policyId: await funding, name: 'Statue' });
  const hash = await submitWitnesses(stack, owner, body.transaction);
  await until(async () => (await stack.ledger.mempoolSize()) === 1, { what: 'the deposit to be sent' });
  await stack.ledger.mine(2);
  await until(async () => (await assetIn(stack, vaultId))?.status === 'LOCKED', { what: 'the asset to be LOCKED' });

  await stack.ledger.rollback(2);
  await until(async () => (await assetIn(stack, vaultId))?.status === 'PENDING', {
    what: 'the asset to be PENDING again',
  });
  expect(await assetIn(stack, vaultId)).toEqual({ status: 'PENDING', state: 'submitted', hash });

  await until(async () => (await stack.ledger.mempoolSize()) === 1, { what: 'the deposit to be sent again' });
  await stack.ledger.mine();
  await until(async () => (await assetIn(stack, vaultId))?.status === 'LOCKED', {
    what: 'the asset to be LOCKED again',
  });
  expect(await assetIn(stack, vaultId)).toEqual({ status: 'LOCKED', state: 'confirmed', hash });
  const events = await stack.sql.run<{ type: string }>`select type from outbox
      where vault_id = ${vaultId} and type like 'ASSET%' order by recorded`;
  expect(events.map(({ type }) => type)).toEqual([
    'ASSET_ADD_STARTED',
    'ASSET_ADDED',
    'ASSET_ADD_ROLLED_BACK',
    'ASSET_ADDED',
  ]);
});
