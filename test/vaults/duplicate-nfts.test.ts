import { expect, test } from '@jest/globals';
import { createNetworkStateCache } from '../../src/cardano/ledger/network-state.ts';
import { wallClock } from '../../src/platform/units/time.ts';
import { scanVaults } from '../../src/ledger-follower/unsolicited/scan-vaults.ts';
import { followerOf } from '../follower/follower-service.ts';
import { fileStack } from '../stack/file-stack.ts';
import { until } from '../stack/until.ts';
import { submitDirectly } from '../vault-lifecycle/direct-submission.ts';
import { contribute, fundWallet, holdings, person, waitForTransaction } from '../vault-lifecycle/participants.ts';
import { createVault, waitForVaultStatus } from '../vault-lifecycle/vault-requests.ts';
import { type ApiService, apiService } from './api-service.ts';
import { listUnsolicited, scanUnsolicited, waitUntilDeep } from './unsolicited-scan.ts';
import { errorResponse } from '../stack/error-response.ts';

const stackOfFile = fileStack();

test('a later deposit of an NFT goes back to its owner by itself, one a scan', async () => {
  const stack = stackOfFile();
  const owner = person(191);
  const vaultId = await createVault(stack, owner.address);
  const policyId = await fundWallet(stack, owner, { ada: 200, assets: { Dawn: 1, Dusk: 1 } });
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  for (const name of ['Dawn', 'Dusk']) {
    const { hash } = await contribute(stack, vaultId, owner, { policyId, name });
    await waitForTransaction(stack, hash, ['final']);
    await waitUntilDeep(stack, hash);
  }
  const coinBefore = (await holdings(stack, owner.address)).get('lovelace') ?? 0n;
  // The first deposits of both came in elsewhere: a vault counts neither of these (design D42).
  await stack.sql.run`update assets set status = 'RELEASED', release_reason = 'duplicate', released_at = now()
      where vault_id = ${vaultId}`;

  const statuses = async () => (await listUnsolicited(stack, vaultId)).map(({ status }) => status).sort();
  const held = async () => [...(await holdings(stack, owner.address)).keys()].filter((unit) => unit !== 'lovelace');
  await scanUnsolicited(stack);
  expect(await statuses()).not.toEqual(['PRESENT', 'PRESENT']);
  await until(async () => (await held()).length === 1, { what: 'one of them to be back' });
  await until(async () => (await statuses()).includes('RETURNED'), { what: 'its return to be recorded' });
  expect(await statuses()).toEqual(['PRESENT', 'RETURNED']);

  await scanUnsolicited(stack);
  await until(async () => (await held()).length === 2, { what: 'the other one to be back' });
  const gained = ((await holdings(stack, owner.address)).get('lovelace') ?? 0n) - coinBefore;
  // The delivery deposits come back with them, less the fees.
  expect(gained).toBeGreaterThan(1_000_000n);
  await scanUnsolicited(stack);
  await until(async () => (await statuses()).every((status) => status === 'RETURNED'), { what: 'both to be recorded' });
});

interface Deposited {
  readonly data: { readonly transaction: { readonly unsignedTx: string } };
}

/** Two NFTs that one transaction has added to a vault, as duplicates of which one is being returned. */
async function duplicatesInVault(service: ApiService, follower: ReturnType<typeof followerOf>) {
  const owner = await service.fundedWallet({ Noon: '1', Night: '1' });
  await follower.catchUp();
  const vaultId = await createVault(service, owner.address);
  const deposit = await service.api.post<Deposited>(`/vaults/${vaultId}/deposits`, {
    walletAddress: owner.address,
    assets: ['Noon', 'Night'].map((assetName) => ({ policyId: owner.policyId, assetName })),
  });
  const land = async () => {
    await submitDirectly(service, owner, deposit.body.data.transaction.unsignedTx);
    const { height } = await service.ledger.mine();
    await follower.catchUp();
    return height;
  };
  const height = await land();
  await service.sql.run`update vaults set status = 'ACTIVE', counted_assets = 0`;
  await service.sql.run`update assets set status = 'RELEASED', release_reason = 'duplicate', released_at = now()`;
  const { ledger } = follower.context;
  const networkState = createNetworkStateCache({ ledger, networkId: 0 });
  const readingTime = () => Promise.resolve(wallClock.now());
  const scanning = { ...follower.context, networkState, networkId: 0, readingTime, confirmationDepth: 1 } as const;
  const { failures } = await scanVaults(
    scanning,
    { vaultId: null, within: null },
    { until: null, isTimeUp: () => false },
  );
  expect(failures).toEqual(new Map());
  return { owner, vaultId, land, height };
}

test('a duplicate whose original is rolled back counts, unless it is being returned; what counts is not returned', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  const { owner, vaultId, land, height } = await duplicatesInVault(service, follower);
  const listed = () => listUnsolicited(service, vaultId);
  const [present] = (await listed()).filter(({ status }) => status === 'PRESENT');
  const rows = await service.sql.run<{ row: object }>`select to_jsonb(u) as row from unsolicited_outputs u
      where return_transaction_id is null`;
  expect([present?.status, rows.length, (await listed()).length]).toEqual(['PRESENT', 1, 2]);

  await service.ledger.rollbackFrom(height);
  expect(await follower.look()).toBe('rollback');
  await land();
  const assets = await service.sql.run<{ status: string; reason: string | null; counted: number }>`select a.status,
      release_reason as reason, counted_assets as counted from assets a join vaults v on v.id = a.vault_id
      order by a.status`;
  expect(assets).toEqual([
    { status: 'LOCKED', reason: null, counted: 1 },
    { status: 'RELEASED', reason: 'duplicate', counted: 1 },
  ]);
  expect((await listed()).map(({ status }) => status)).toEqual(['RETURNING']);

  // A scan that had looked before it counted lists it.
  await service.sql.run`insert into unsolicited_outputs select *
      from jsonb_populate_record(null::unsolicited_outputs, ${rows[0]?.row})`;
  const outputs = [{ txHash: present?.txHash, index: present?.index }];
  const returned = await service.api.post(`/vaults/${vaultId}/unsolicited/returns`, {
    outputs,
    address: owner.address,
  });
  expect(returned).toMatchObject(errorResponse(404, 'UNSOLICITED_OUTPUT_NOT_FOUND'));
});
