import { expect, test } from '@jest/globals';
import type { TestPool } from '../stack/test-database.ts';
import { until } from '../stack/until.ts';
import { apiService, newWallet } from '../vaults/api-service.ts';
import { voteBody, propose } from './staked-vault.ts';
import { seedStakes, readStakeUsage } from './seed-stakes.ts';
import { makeStakeFinal, vaultWithTokens } from './vault-with-tokens.ts';
import { errorResponse } from '../stack/error-response.ts';

interface StakeResponse {
  readonly data: { readonly id: string };
}
interface ErrorBody {
  readonly error?: { readonly code: string };
}

test('only one of many simultaneous requests to unstake one stake is accepted', async () => {
  await using service = await apiService();
  const wallet = newWallet();
  const vaultId = await vaultWithTokens(service, wallet);
  const staking = { walletAddress: wallet.address, amount: 100 };
  const { id } = (await service.api.post<StakeResponse>(`/vaults/${vaultId}/stakes`, staking)).body.data;
  await makeStakeFinal(service, id);
  const answers = await Promise.all(Array.from({ length: 8 }, () => service.api.del<ErrorBody>(`/stakes/${id}`)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.error?.code === 'STAKE_ALREADY_LEAVING')).toHaveLength(7);
  const rows = await service.sql.run`select 1 from chain_transactions where kind = 'unstake'`;
  expect(rows).toHaveLength(1);
});

test.each([
  ['the vote is first', 'vote', 'STAKE_LOCKED'],
  ['the unstaking is first', 'unstake', 'NOT_STAKED_AT_SNAPSHOT'],
] as const)('either a vote or the unstaking of its stake is accepted, never both: %s', async (_order, first, code) => {
  await using service = await apiService();
  const { api, sql } = service;
  const wallet = newWallet();
  const vaultId = await vaultWithTokens(service, wallet);
  const proposer = newWallet().address;
  await seedStakes(sql, vaultId, [{ wallet: proposer, tokens: 60_000 }], new Date(Date.now() - 60_000));
  const staking = { walletAddress: wallet.address, amount: 5000 };
  const { id } = (await api.post<StakeResponse>(`/vaults/${vaultId}/stakes`, staking)).body.data;
  await makeStakeFinal(service, id);
  const proposalId = await propose(service, vaultId, proposer);
  const requests = {
    vote: () => api.post<ErrorBody>(`/proposals/${proposalId}/votes`, voteBody(wallet.address, 7, 'yes')),
    unstake: () => api.del<ErrorBody>(`/stakes/${id}`),
  };

  // Both wait for the stake, in this order.
  const holder = await sql.connect();
  await holder.query('begin');
  await holder.query('select from stakes where id = $1 for update', [id]);
  const earlier = requests[first]();
  await until(() => areWaiting(sql, 1), { what: 'the first to wait' });
  const later = requests[first === 'vote' ? 'unstake' : 'vote']();
  await until(() => areWaiting(sql, 2), { what: 'the second to wait' });
  await holder.query('commit');
  holder.release();

  expect(await earlier).toMatchObject({ status: 200 });
  expect(await later).toMatchObject(errorResponse(400, code));
  const used = first === 'vote' ? { status: 'LOCKED', used: 7 } : { status: 'ACTIVE', used: 0 };
  expect((await readStakeUsage(sql, vaultId))[wallet.address]).toEqual(used);
});

async function areWaiting(sql: TestPool, count: number): Promise<boolean> {
  const rows = await sql.run`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
  return rows.length >= count;
}
