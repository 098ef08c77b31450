import { expect, test } from '@jest/globals';
import { instant } from '../../src/platform/units/time.ts';
import { closeVoting } from '../../src/proposals/phases.ts';
import { propose, voteBody } from '../governance/staked-vault.ts';
import { seedStakes } from '../governance/seed-stakes.ts';
import { vaultWithTokens } from '../governance/vault-with-tokens.ts';
import { submitDirectly } from '../vault-lifecycle/direct-submission.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { CONFIRMATION_DEPTH, followerOf } from './follower-service.ts';
import { errorResponse } from '../stack/error-response.ts';

type Wallet = ReturnType<typeof newWallet>;

interface StakeResponse {
  readonly data: {
    readonly id: string;
    readonly transaction: { readonly hash: string; readonly unsignedTx: string };
  };
}

/** Stakes with a transaction that is in the next block; returns its hash. */
async function stake(service: ApiService, vaultId: string, wallet: Wallet, amount: number): Promise<string> {
  const staking = { walletAddress: wallet.address, amount };
  const { body } = await service.api.post<StakeResponse>(`/vaults/${vaultId}/stakes`, staking);
  await submitDirectly(service, wallet, body.data.transaction.unsignedTx);
  await service.ledger.mine(1);
  return body.data.transaction.hash;
}

async function blockTimeAt({ ledger }: ApiService, height: number): Promise<string> {
  const block = await ledger.query<{ time: number }>(`/blocks/${height}`);
  return new Date((block?.time ?? 0) * 1000).toISOString();
}

test.each(['is there', 'is away until later'])(
  'a stake counts by the block that made it final, although the follower %s',
  async (presence) => {
    await using service = await apiService();
    const follower = followerOf(service);
    const look = async () => (presence === 'is there' ? follower.catchUp() : undefined);
    const [voter, proposer] = [newWallet(), newWallet()];
    const vaultId = await vaultWithTokens(service, voter);
    const seed = { wallet: proposer.address, tokens: 100_000 };
    await seedStakes(service.sql, vaultId, [seed], new Date(Date.now() - 60_000));
    await follower.catchUp();

    const early = await stake(service, vaultId, voter, 100);
    await look();
    const { height } = await service.ledger.mine(CONFIRMATION_DEPTH - 1);
    await look();
    await stake(service, vaultId, voter, 200);
    await look();
    await service.advance(5);
    const proposalId = await propose(service, vaultId, proposer.address);
    await service.advance(5);
    await service.ledger.mine(CONFIRMATION_DEPTH - 1);
    await follower.catchUp();

    const vote = (tokens: number) =>
      service.api.post(`/proposals/${proposalId}/votes`, voteBody(voter.address, tokens, 'yes'));
    expect(await vote(101)).toMatchObject(errorResponse(400, 'INSUFFICIENT_VOTING_POWER', { available: '100000000' }));
    expect(await vote(100)).toMatchObject({ status: 200 });
    const stakes = await service.api.get(`/vaults/${vaultId}/stakes?wallet=${voter.address}&limit=10`);
    const finalAt = await blockTimeAt(service, height);
    expect(stakes.body).toMatchObject({
      data: { stakes: expect.arrayContaining([expect.objectContaining({ finalAt })]) },
    });
    const transaction = await service.api.get(`/transactions/${early}`);
    expect(transaction.body).toMatchObject({
      data: {
        history: [
          { status: 'awaiting_signatures' },
          { status: 'confirmed', at: await blockTimeAt(service, height - CONFIRMATION_DEPTH + 1) },
          { status: 'final', at: finalAt },
        ],
      },
    });
  },
);

test('votes are not counted before the blocks that decide which stakes count are read', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  const [voter, proposer] = [newWallet(), newWallet()];
  const vaultId = await vaultWithTokens(service, voter);
  const seed = { wallet: proposer.address, tokens: 100_000 };
  await seedStakes(service.sql, vaultId, [seed], new Date(Date.now() - 60_000));
  await follower.catchUp();
  await stake(service, vaultId, voter, 100);
  await service.ledger.mine(CONFIRMATION_DEPTH - 1);
  await service.advance(5);
  const proposalId = await propose(service, vaultId, proposer.address);
  const rows = await service.sql.run<{ ends: Date }>`select voting_ends_at as ends from proposals
      where id = ${proposalId}`;
  const now = instant(rows[0]?.ends ?? 0);
  await service.advance(Math.ceil((now - Date.now()) / 1000));

  const close = () => closeVoting({ ...follower.context, onTransition: () => undefined }, { proposalId, now });
  await expect(close()).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  await service.ledger.mine(1);
  await follower.catchUp();
  expect(await close()).toMatchObject({ stage: 'ended' });
  const counted = await service.sql.query("select final_tally ->> 'quorumBase' as base from proposals where id = $1", [
    proposalId,
  ]);
  expect(counted.rows).toEqual([{ base: '100100000000' }]);
});
