import { expect, test } from '@jest/globals';
import { createNetworkStateCache } from '../../src/cardano/ledger/network-state.ts';
import { wallClock } from '../../src/platform/units/time.ts';
import { scanVaults } from '../../src/ledger-follower/unsolicited/scan-vaults.ts';
import { followerOf } from '../follower/follower-service.ts';
import { submitDirectly } from '../vault-lifecycle/direct-submission.ts';
import { apiService } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import { listUnsolicited } from './unsolicited-scan.ts';

test('a deposit that its wallet sends itself to a full vault counts in nothing and goes back', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  const owners = { Noon: await service.fundedWallet({ Noon: '1' }), Night: await service.fundedWallet({ Night: '1' }) };
  await follower.catchUp();
  const body = vaultBody(owners.Noon.address);
  const settings = { ...body, asset_settings: { ...body.asset_settings, max_assets: 1 } };
  const { vault_id: vaultId } = (await service.api.post<{ vault_id: string }>('/vaults', settings)).body;
  const request = async (name: keyof typeof owners) => {
    const { address: wallet_address, policyId: policy_id } = owners[name];
    const asset = { policy_id, asset_name: name, wallet_address };
    return service.api.post<{ transaction: { unsigned_tx: string } }>(`/vaults/${vaultId}/assets`, asset);
  };
  // Both are asked for while there is a place.
  const unsigned = { Noon: (await request('Noon')).body.transaction, Night: (await request('Night')).body.transaction };
  const land = async (name: keyof typeof owners) => {
    await submitDirectly(service, owners[name], unsigned[name].unsigned_tx);
    const { height } = await service.ledger.mine();
    await follower.catchUp();
    return height;
  };
  const assets = async () =>
    await service.sql.run<{ name: string; status: string; reason: string | null; counted: number }>`
          select convert_from(decode(asset_name, 'hex'), 'utf8') as name, a.status, release_reason as reason,
          counted_assets as counted from assets a join vaults v on v.id = a.vault_id order by name desc`;
  const first = await land('Noon');
  await land('Night');
  const full = { name: 'Night', status: 'RELEASED', reason: 'vault_full', counted: 1 };
  expect(await assets()).toEqual([{ name: 'Noon', status: 'LOCKED', reason: null, counted: 1 }, full]);

  // A fork has the second one first: what was in the vault keeps its place.
  await service.ledger.rollbackFrom(first);
  expect(await follower.look()).toBe('rollback');
  await land('Night');
  expect(await assets()).toEqual([{ name: 'Noon', status: 'PENDING', reason: null, counted: 1 }, full]);
  await land('Noon');
  expect(await assets()).toEqual([{ name: 'Noon', status: 'LOCKED', reason: null, counted: 1 }, full]);

  await service.sql.run`update vaults set status = 'ACTIVE'`;
  const networkState = createNetworkStateCache({ ledger: follower.context.ledger, networkId: 0 });
  const readingTime = () => Promise.resolve(wallClock.now());
  const scanning = { ...follower.context, networkState, networkId: 0, readingTime, confirmationDepth: 1 } as const;
  const all = { until: null, isTimeUp: () => false };
  expect(await scanVaults(scanning, { vaultId: null, within: null }, all)).toMatchObject({ failures: new Map() });
  expect((await listUnsolicited(service, vaultId)).map(({ status }) => status)).toEqual(['RETURNING']);
});
