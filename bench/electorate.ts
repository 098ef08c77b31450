import { randomBytes, randomUUID } from 'node:crypto';
import type { TestPool } from '../test/stack/test-database.ts';
import { keyAddress } from '../src/cardano/scripts/address.ts';
import { seedStakes } from '../test/governance/seed-stakes.ts';
import type { BenchRequest } from './load.ts';
import type { BenchStack } from './stack.ts';

/** A wallet that votes with all it has staked, in whole tokens. */
export interface Voter {
  readonly wallet: string;
  readonly tokens: number;
  readonly vote: 'yes' | 'no';
}

/** Creates `count` wallets with stakes; two in three vote no. */
export async function seedVoters(sql: TestPool, vaultId: string, count: number, finalAt: Date): Promise<Voter[]> {
  const voters = Array.from({ length: count }, (_, number): Voter => ({
    wallet: keyAddress(randomBytes(28).toString('hex'), 0),
    tokens: 1 + (number % 7),
    vote: number % 3 === 0 ? 'yes' : 'no',
  }));
  await seedStakes(sql, vaultId, voters, finalAt);
  // Postgres would have done this if the stakes had come one by one.
  await sql.query('analyze stakes, chain_transactions');
  return voters;
}

/** Proposes to liquidate the vault; returns the id of the proposal. */
export async function propose({ api }: BenchStack, vaultId: string, proposer: string): Promise<string> {
  const { status, body } = await api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, {
    proposer,
    proposal_details: { title: 'Wind up', description: 'Sell all and go', action_type: 'liquidate' },
  });
  if (status !== 201) throw new Error(`the proposal was not created: ${JSON.stringify(body)}`);
  return body.proposal_id;
}

/** Whole tokens voted yes and no. */
export function tallyOf(voters: readonly Voter[]): { approve: number; reject: number } {
  const sum = (wanted: string) => voters.reduce((all, { vote, tokens }) => all + (vote === wanted ? tokens : 0), 0);
  return { approve: sum('yes'), reject: sum('no') };
}

export function* voteRequests(proposalId: string, voters: readonly Voter[]): Iterable<BenchRequest> {
  const path = `/api/v1/proposals/${proposalId}/votes`;
  for (const { wallet, tokens, vote } of voters) {
    yield { path, body: { voter: { wallet_address: wallet, staked_ft_amount: tokens }, vote } };
  }
}

/** The same requests, each with its own idempotency key, as the introduction of the API advises. */
export function* withIdempotencyKeys(votes: Iterable<BenchRequest>): Iterable<BenchRequest> {
  for (const vote of votes) yield { ...vote, idempotencyKey: randomUUID() };
}
