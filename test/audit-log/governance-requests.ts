import { vaultWithPot } from '../claims/vault-with-pot.ts';
import { proposalBody, propose, voteBody } from '../governance/staked-vault.ts';
import { createPassedProposal, createSignedPurchase } from '../governance/vault-with-custody.ts';
import { makeStakeFinal, vaultWithTokens } from '../governance/vault-with-tokens.ts';
import { newWallet } from '../vaults/api-service.ts';
import type { Prepare, World } from './prepared-request.ts';

/** A proposal whose proposer has too little power to open voting. */
async function draft({ service, governed: { vaultId, middle } }: World): Promise<string> {
  const body = { ...proposalBody(middle.address), governance_thresholds: { start_threshold: 50 } };
  const made = await service.api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, body);
  return made.body.proposal_id;
}

/** A request to vote on a new proposal. */
async function voteToCast({ service, governed: { vaultId, big, middle } }: World) {
  const path = `/proposals/${await propose(service, vaultId, big.address)}/votes`;
  return { method: 'post', path, body: voteBody(middle.address, 1, 'yes') } as const;
}

/** A wallet that holds tokens of a vault, and a request to stake some. */
async function tokensToStake({ service }: World) {
  const wallet = newWallet();
  const path = `/vaults/${await vaultWithTokens(service, wallet)}/stakes`;
  return { method: 'post', path, body: { walletAddress: wallet.address, amount: 10 } } as const;
}

/** Requests for stakes, claims, proposals, votes and executions. */
export const governanceRequests: Readonly<Record<string, Prepare>> = {
  stake: tokensToStake,
  unstake: async (world) => {
    const { path, body } = await tokensToStake(world);
    const { id } = (await world.service.api.post<{ data: { id: string } }>(path, body)).body.data;
    await makeStakeFinal(world.service, id);
    return { method: 'del', path: `/stakes/${id}` };
  },
  claim: async ({ service }) => {
    const { address } = newWallet();
    const { vaultId } = await vaultWithPot(service, [{ address, tokens: 10n }], { outputs: [5_000_000n] });
    return { method: 'post', path: `/vaults/${vaultId}/claims`, body: { walletAddress: address } };
  },
  createProposal: ({ governed: { vaultId, big } }) => {
    return { method: 'post', path: `/vaults/${vaultId}/proposals`, body: proposalBody(big.address) };
  },
  cancelProposal: async (world) => ({ method: 'del', path: `/proposals/${await draft(world)}` }),
  endorseProposal: async (world) => {
    const body = { walletAddress: world.governed.big.address };
    return { method: 'post', path: `/proposals/${await draft(world)}/endorsements`, body };
  },
  castVote: voteToCast,
  revokeVote: async (world) => {
    const { path, body } = await voteToCast(world);
    const cast = await world.service.api.post<{ vote_id: string }>(path, body);
    return { method: 'del', path: `/votes/${cast.body.vote_id}` };
  },
  freezeExecution: async ({ service, governed }) => {
    const { big, middle } = governed;
    const id = await createPassedProposal(service, governed, { action_type: 'liquidate' }, 1);
    const action = { type: 'liquidate', details: {} };
    const body = { executing_user: big.address, cosigners: [middle.address], action };
    return { method: 'post', path: `/proposals/${id}/executions`, body };
  },
  executeProposal: async ({ service, governed }) => {
    const { id, body } = await createSignedPurchase(service, governed, newWallet());
    return { method: 'post', path: `/proposals/${id}/execute`, body };
  },
};
