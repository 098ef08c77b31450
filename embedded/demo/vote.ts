import { requireData } from '../../client/src/index.ts';
import type { Service } from './service.ts';
import { ada, print, signAndWait, type Wallet } from './wallets.ts';

/** The sale that is proposed. */
export interface Offer {
  readonly policyId: string;
  readonly assetName: string;
  /** Lovelace. */
  readonly price: number;
  readonly buyer: Wallet;
}

/** A vote in whole tokens. */
export interface DemoVote {
  readonly voter: Wallet;
  readonly tokens: number;
  readonly vote: 'yes' | 'no';
}

const tokens = (amount: number) => `${amount.toLocaleString('en')} FT`;

/** Stakes tokens and waits until they count; returns the stake with the address of its script. */
export async function stake(
  service: Service,
  vaultId: string,
  owner: Wallet,
  amount: number,
): Promise<{ id: string; scriptAddress: string; wallet: Wallet; tokens: number }> {
  const body = { walletAddress: owner.address, amount };
  const params = { path: { vaultId } };
  const { data } = requireData(await service.api.POST('/api/v1/vaults/{vaultId}/stakes', { params, body }));
  await signAndWait(service, vaultId, owner, data.transaction, `${owner.name} staked ${tokens(amount)}`);
  await service.event({ vaultId }, 'STAKE_FINAL', (event) => event.data.stakeId === data.id);
  return { id: data.id, scriptAddress: data.scriptAddress, wallet: owner, tokens: amount };
}

/** Proposes a sale: voting opens when a quarter of the supply endorses it, and lasts seven days. */
export async function proposeSale(service: Service, vaultId: string, proposer: Wallet, offer: Offer): Promise<string> {
  const { policyId, assetName, price, buyer } = offer;
  const body = {
    proposer: proposer.address,
    proposal_details: {
      title: `Sell ${assetName}`,
      description: `${buyer.name} offers ${ada(price)} for it`,
      action_type: 'sell_asset',
      affected_assets: [{ policy_id: policyId, asset_name: assetName }],
      terms: { price, buyer_address: buyer.address },
    },
    governance_thresholds: { start_threshold: 25, required_cosigners: 2 },
    phases: { voting_duration: '168h', lock_duration: '24h', execution_duration: '48h' },
  };
  const params = { path: { vaultId } };
  const proposed = requireData(await service.api.POST('/api/v1/vaults/{vaultId}/proposals', { params, body }));
  print(`${proposer.name} proposed to sell ${assetName} to ${buyer.name} for ${ada(price)}`);
  print(`  proposal ${proposed.proposal_id}, anchored by transaction ${proposed.transaction.tx_hash}`);
  return proposed.proposal_id;
}

/** Endorses a proposal with the wallet's whole stake. */
export async function endorse(service: Service, proposalId: string, { name, address }: Wallet): Promise<void> {
  const call = { params: { path: { proposalId } }, body: { walletAddress: address } };
  const { data } = requireData(await service.api.POST('/api/v1/proposals/{proposalId}/endorsements', call));
  print(`${name} endorsed it: the proposal is ${data.status}
  anchored by transaction ${data.transaction.hash}`);
}

/** Votes with an API key that acts for the wallet. */
export async function vote(service: Service, proposalId: string, ballot: DemoVote): Promise<void> {
  await cast(service, proposalId, ballot, {});
}

/** Votes with a signature of the wallet itself, which is anchored with the vote. */
export async function voteSigned(
  service: Service,
  proposalId: string,
  ballot: DemoVote,
  decimals: number,
): Promise<void> {
  const nonce = proposalId.slice(-6);
  const decision = ballot.vote === 'yes' ? 'APPROVE' : 'REJECT';
  const message = `vote:${proposalId}:${decision}:${BigInt(ballot.tokens) * 10n ** BigInt(decimals)}:${nonce}`;
  const signed = await service.develop<{ signature: string; key: string }>(
    `wallets/${ballot.voter.address}/sign-data`,
    {
      payload: Buffer.from(message).toString('hex'),
    },
  );
  await cast(service, proposalId, ballot, { nonce, ...signed });
  print(`  the wallet signed ${message}`);
}

async function cast(service: Service, proposalId: string, ballot: DemoVote, signature: object): Promise<void> {
  const { voter, tokens: amount, vote: decision } = ballot;
  const body = { voter: { wallet_address: voter.address, staked_ft_amount: amount }, vote: decision, ...signature };
  const params = { path: { proposalId } };
  const { transaction } = requireData(await service.api.POST('/api/v1/proposals/{proposalId}/votes', { params, body }));
  print(`${voter.name} voted ${decision} with ${tokens(amount)}
  anchored by transaction ${transaction.tx_hash}`);
}

/** Waits until the vote has a result, and prints its anchored tally. */
export async function printTally(service: Service, proposalId: string): Promise<void> {
  await service.event({ proposalId }, 'PROPOSAL_STATUS_CHANGED', (event) =>
    ['PASSED', 'FAILED'].includes(event.data.status),
  );
  const params = { path: { proposalId } };
  const { data: read } = requireData(await service.api.GET('/api/v1/proposals/{proposalId}', { params }));
  const { approve, reject, uniqueVoters } = read.votes;
  const { required, actual } = read.thresholds.vote;
  print(`  tally: ${tokens(approve)} for it, ${tokens(reject)} against it, by ${uniqueVoters} voters`);
  print(`  ${actual} % of the staked tokens voted, ${required} % were required: the proposal is ${read.status}`);
  print(
    `  votesRoot ${read.closing?.votesRoot ?? '?'}, anchored by transaction ${read.closing?.transactionHash ?? '?'}`,
  );
}
