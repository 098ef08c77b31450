import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createProposalActivities } from '../../activities/proposals.ts';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { createUnitOfWork, offsetClock } from '../../src/platform/database/unit-of-work.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { seedStakes } from './seed-stakes.ts';
import { lockedVault, proposalBody, propose, voteBody } from './staked-vault.ts';

const HOUR = 3600;

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

interface ProposalResponse {
  readonly data: {
    readonly votingPhase: { readonly endTime: string };
    readonly executionPhase: { readonly requiredCosigners: number };
  };
}

const read = async (id: string) => (await service.api.get<ProposalResponse>(`/proposals/${id}`)).body.data;
const endOfVoting = async (id: string) => new Date((await read(id)).votingPhase.endTime);
const requiredCosigners = async (id: string) => (await read(id)).executionPhase.requiredCosigners;

/** The vault asks for `k` cosigners. */
async function askFor(k: number | undefined, vaultId: string): Promise<void> {
  const governance = JSON.stringify({ requiredCosigners: k });
  const settings = `update vaults set metadata = metadata || jsonb_build_object('governance', $2::jsonb) where id = $1`;
  await service.sql.query(settings, [vaultId, governance]);
}

/** The id of the vote. */
async function voteYes(id: string, wallet: string, tokens: number): Promise<string> {
  const vote = await service.api.post<{ vote_id: string }>(`/proposals/${id}/votes`, voteBody(wallet, tokens, 'yes'));
  expect(vote).toMatchObject({ status: 200 });
  return vote.body.vote_id;
}

/** A proposal that two wallets pass, although neither has the tenth of the supply that cosigning takes. */
async function proposalWithoutCosigners(k: number | undefined) {
  const { vaultId, voters, proposer } = await lockedVault(service, [60_000, 60_000]);
  await askFor(k, vaultId);
  const id = await propose(service, vaultId, proposer);
  for (const wallet of voters) await voteYes(id, wallet, 60_000);
  expect(await requiredCosigners(id)).toBe(0);
  return { vaultId, id, endsAt: await endOfVoting(id) };
}

/** Wallets whose stakes were final before voting opened, but are seen on the ledger only now. */
async function seenLate(vaultId: string, tokens: readonly number[]): Promise<string[]> {
  const seeds = tokens.map((amount) => ({ wallet: newWallet().address, tokens: amount }));
  await seedStakes(service.sql, vaultId, seeds, new Date(Date.now() - HOUR * 1000));
  return seeds.map(({ wallet }) => wallet);
}

/** Counts the votes, long after the vote has ended. */
async function close(proposalId: string, endsAt: Date): Promise<void> {
  const ids = createIds({ clock: wallClock, random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) });
  const unitOfWork = createUnitOfWork(service.db, offsetClock(wallClock), ids);
  await service.advance(80 * HOUR);
  const worker = createProposalActivities({ db: service.db, unitOfWork, onTransition: () => undefined });
  expect(await worker.closeVoting({ proposalId, now: instant(endsAt) })).toMatchObject({ stage: 'passed' });
}

test('an execution needs the cosigners that the vault asks for if they voted, however early it was proposed', async () => {
  const { vaultId, id, endsAt } = await proposalWithoutCosigners(2);
  const [voter = '', small = ''] = await seenLate(vaultId, [100_000, 99_999]);
  await voteYes(id, voter, 1);
  await voteYes(id, small, 99_999);
  await close(id, endsAt);
  expect(await requiredCosigners(id)).toBe(1);
});

test('whoever stakes during the vote, does not vote or revokes the vote cannot raise the number and then not sign', async () => {
  const { vaultId, id, endsAt } = await proposalWithoutCosigners(3);
  const [revoker = ''] = await seenLate(vaultId, [100_000, 100_000]);
  const voteId = await voteYes(id, revoker, 100_000);
  expect(await service.api.del(`/votes/${voteId}`)).toMatchObject({ status: 200 });
  const late = { wallet: newWallet().address, tokens: 200_000 };
  await seedStakes(service.sql, vaultId, [late], new Date(endsAt.getTime() - HOUR * 1000));
  await close(id, endsAt);
  expect(await requiredCosigners(id)).toBe(0);
});

test('a proposal that raises its own cosigning threshold still needs the cosigners that its vault counts', async () => {
  const { vaultId, proposer } = await lockedVault(service, [120_000]);
  await askFor(3, vaultId);
  const body = proposalBody(proposer);
  const thresholds = { ...body.governance_thresholds, cosigning_threshold: 12 };
  const path = `/vaults/${vaultId}/proposals`;
  const answer = await service.api.post<{ proposal_id: string }>(path, { ...body, governance_thresholds: thresholds });
  expect(answer).toMatchObject({ status: 201 });
  const { proposal_id: id } = answer.body;
  expect(await requiredCosigners(id)).toBe(1);
  await voteYes(id, proposer, 120_000);
  for (const wallet of await seenLate(vaultId, [110_000, 110_000])) await voteYes(id, wallet, 110_000);
  await close(id, await endOfVoting(id));
  expect(await requiredCosigners(id)).toBe(3);
});

test('a vault that asks for no cosigners gets none after the vote, and one without eligible stakers needs none', async () => {
  const unasked = await proposalWithoutCosigners(undefined);
  for (const wallet of await seenLate(unasked.vaultId, [100_000])) await voteYes(unasked.id, wallet, 100_000);
  await close(unasked.id, unasked.endsAt);
  expect(await requiredCosigners(unasked.id)).toBe(0);

  const empty = await proposalWithoutCosigners(2);
  await close(empty.id, empty.endsAt);
  expect(await requiredCosigners(empty.id)).toBe(0);
});
