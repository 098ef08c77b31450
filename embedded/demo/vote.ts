import type { Rest } from './rest.ts';
import { ada, print, signAndWait, type UnsignedTransaction, type Wallet } from './wallets.ts';

interface Anchored {
  readonly transaction: { readonly tx_hash: string };
}

interface StakeRead {
  readonly id: string;
  readonly finalAt: string | null;
  readonly scriptAddress: string;
}

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

interface ProposalRead {
  readonly status: string;
  readonly votes: { readonly approve: number; readonly reject: number; readonly uniqueVoters: number };
  readonly thresholds: { readonly vote: { readonly required: number; readonly actual: number } };
  readonly closing: { readonly votesRoot: string; readonly transactionHash: string } | null;
}

const tokens = (amount: number) => `${amount.toLocaleString('en')} FT`;

/** Stakes tokens and waits until they count; returns the address of the stake script. */
export async function stake(rest: Rest, vaultId: string, owner: Wallet, amount: number): Promise<string> {
  const body = { walletAddress: owner.address, amount };
  const { data } = await rest.post<{ data: StakeRead & { transaction: UnsignedTransaction } }>(
    `/api/v1/vaults/${vaultId}/stakes`,
    body,
  );
  await signAndWait(rest, owner, data.transaction, `${owner.name} stakes ${tokens(amount)}`);
  return rest.until(async () => {
    const { data: read } = await rest.get<{ data: StakeRead }>(`/api/v1/stakes/${data.id}`);
    return read.finalAt === null ? null : read.scriptAddress;
  });
}

/** Proposes a sale: voting opens when a quarter of the supply endorses it, and lasts seven days. */
export async function proposeSale(rest: Rest, vaultId: string, proposer: Wallet, offer: Offer): Promise<string> {
  const { policyId, assetName, price, buyer } = offer;
  const proposed = await rest.post<Anchored & { proposal_id: string }>(`/api/v1/vaults/${vaultId}/proposals`, {
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
  });
  print(`${proposer.name} proposes to sell ${assetName} to ${buyer.name} for ${ada(price)}`);
  print(`  proposal ${proposed.proposal_id}, anchored by transaction ${proposed.transaction.tx_hash}`);
  return proposed.proposal_id;
}

/** Endorses a proposal with the wallet's whole stake. */
export async function endorse(rest: Rest, proposalId: string, { name, address }: Wallet): Promise<void> {
  const { data } = await rest.post<{ data: { status: string; transaction: { hash: string } } }>(
    `/api/v1/proposals/${proposalId}/endorsements`,
    { walletAddress: address },
  );
  print(`${name} endorses it: the proposal is ${data.status}\n  anchored by transaction ${data.transaction.hash}`);
}

/** Votes with an API key that acts for the wallet. */
export async function vote(rest: Rest, proposalId: string, ballot: DemoVote): Promise<void> {
  await cast(rest, proposalId, ballot, {});
}

/** Votes with a signature of the wallet itself, which is anchored with the vote. */
export async function voteSigned(rest: Rest, proposalId: string, ballot: DemoVote, decimals: number): Promise<void> {
  const nonce = proposalId.slice(-6);
  const decision = ballot.vote === 'yes' ? 'APPROVE' : 'REJECT';
  const message = `vote:${proposalId}:${decision}:${BigInt(ballot.tokens) * 10n ** BigInt(decimals)}:${nonce}`;
  const signed = await rest.post<{ signature: string; key: string }>(`/dev/wallets/${ballot.voter.address}/sign-data`, {
    payload: Buffer.from(message).toString('hex'),
  });
  await cast(rest, proposalId, ballot, { nonce, ...signed });
  print(`  the wallet signed ${message}`);
}

async function cast(rest: Rest, proposalId: string, ballot: DemoVote, signature: object): Promise<void> {
  const { voter, tokens: amount, vote: decision } = ballot;
  const { transaction } = await rest.post<Anchored>(`/api/v1/proposals/${proposalId}/votes`, {
    voter: { wallet_address: voter.address, staked_ft_amount: amount },
    vote: decision,
    ...signature,
  });
  print(`${voter.name} votes ${decision} with ${tokens(amount)}\n  anchored by transaction ${transaction.tx_hash}`);
}

/** Waits until the tally is anchored, and prints it. */
export async function printTally(rest: Rest, proposalId: string): Promise<void> {
  const { read, closing } = await rest.until(async () => {
    const { data } = await rest.get<{ data: ProposalRead }>(`/api/v1/proposals/${proposalId}`);
    return data.closing && { read: data, closing: data.closing };
  });
  const { approve, reject, uniqueVoters } = read.votes;
  const { required, actual } = read.thresholds.vote;
  print(`  tally: ${tokens(approve)} for it, ${tokens(reject)} against it, by ${uniqueVoters} voters`);
  print(`  ${actual} % of what is staked voted, ${required} % had to: the proposal is ${read.status}`);
  print(`  votesRoot ${closing.votesRoot}, anchored by transaction ${closing.transactionHash}`);
}
