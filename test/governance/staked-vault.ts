import { expect } from '@jest/globals';
import { person } from '../vault-lifecycle/participants.ts';
import type { ApiService } from '../vaults/api-service.ts';
import { seedStakes } from './seed-stakes.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

type Service = Pick<ApiService, 'api' | 'sql'>;

/** The wallet that stakes the n-th amount. */
const stakerOf = (number: number) => person(number + 300).address;

/** A locked vault, set up in the database, in which each wallet has staked the given whole tokens; the first wallet proposes. */
export async function lockedVault(service: Service, tokens: readonly number[], walletOf = stakerOf) {
  const voters = tokens.map((_, number) => walletOf(number));
  const [proposer = ''] = voters;
  const vaultId = await createVault(service, proposer);
  await service.sql.run`update vaults set status = 'LOCKED', locked_at = now() where id = ${vaultId}`;
  const seeds = voters.map((wallet, number) => ({ wallet, tokens: tokens[number] ?? 0 }));
  await seedStakes(service.sql, vaultId, seeds, new Date(Date.now() - 60_000));
  return { vaultId, voters, proposer };
}

export const proposalBody = (proposer: string) => ({
  proposer,
  proposal_details: { title: 'Wind up', description: 'Sell all and go', action_type: 'liquidate', affected_assets: [] },
  governance_thresholds: { creation_threshold: 1, start_threshold: 5, vote_threshold: 30, execution_threshold: 51 },
});

/** Creates a proposal whose voting opens at once. */
export async function propose({ api }: Pick<Service, 'api'>, vaultId: string, proposer: string): Promise<string> {
  const answer = await api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, proposalBody(proposer));
  expect(answer).toMatchObject({
    status: 201,
    body: { vault_id: vaultId, status: 'created', thresholds_met: { creation_threshold: true } },
  });
  return answer.body.proposal_id;
}

/** The request body of a vote. */
export const voteBody = (wallet: string, tokens: number | string, vote: string) => ({
  voter: { wallet_address: wallet, staked_ft_amount: tokens },
  vote,
});
