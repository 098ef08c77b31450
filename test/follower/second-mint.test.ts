import { expect, test } from '@jest/globals';
import { submitDirectly } from '../vault-lifecycle/direct-submission.ts';
import { vaultWithTokens } from '../governance/vault-with-tokens.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { followerOf } from './follower-service.ts';

interface StakeResponse {
  readonly data: { readonly transaction: { readonly hash: string; readonly unsignedTx: string } };
}

async function stake(service: ApiService, vaultId: string, wallet: ReturnType<typeof newWallet>): Promise<string> {
  const staking = { walletAddress: wallet.address, amount: 100 };
  const { body } = await service.api.post<StakeResponse>(`/vaults/${vaultId}/stakes`, staking);
  await submitDirectly(service, wallet, body.data.transaction.unsignedTx);
  await service.ledger.mine(1);
  return body.data.transaction.hash;
}

test('a mint that was given up and is confirmed beside its replacement is recorded and alarms; the follower continues', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  const alarms: string[] = [];
  follower.context.onQuarantine = (_, __, error) => {
    alarms.push(String(error));
  };
  const wallet = newWallet();
  const vaultId = await vaultWithTokens(service, wallet);
  await follower.catchUp();
  const hashes = [await stake(service, vaultId, wallet), await stake(service, vaultId, wallet)];
  for (const [at, state] of (['failed', 'submitted'] as const).entries())
    await service.sql.run`update chain_transactions set kind = 'mint', state = ${state} where hash = ${hashes[at]}`;
  const mints = async () => {
    const rows = await service.sql.run<{ state: string; height: string | null }>`select state,
        block_height as height from chain_transactions where hash = any(${hashes}) order by created_at`;
    return rows;
  };
  const states = async () => (await mints()).map(({ state }) => state);
  const holds = async () =>
    await service.sql.run<{ reason: string }>`select reason from holds where vault_id = ${vaultId}`;

  await follower.catchUp();
  expect(await states()).toEqual(['confirmed', 'confirmed']);
  expect(alarms).toEqual([expect.stringContaining(`mint ${hashes[1]} landed after mint ${hashes[0]}`)]);
  expect(await holds()).toEqual([{ reason: 'quarantined' }]);

  const { height } = (await mints())[0] ?? {};
  await service.ledger.rollbackFrom(Number(height));
  expect(await follower.look()).toBe('rollback');
  expect(await states()).toEqual(['submitted', 'failed']);
});
