import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { formatApiKey, hashSecret, parseApiKey } from '../../src/access/api-keys.ts';
import type { Permission } from '../../src/access/rules.ts';
import { insertApiKey } from '../../src/access/queries/api-keys.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import type { ExecuteAnswer } from './execution-requests.ts';
import { voteBody, proposalBody } from './staked-vault.ts';
import { loggedInMembers } from './logged-in-members.ts';
import { seedStakes } from './seed-stakes.ts';

interface AllowedAction {
  readonly action: string;
  readonly allowed: boolean;
  readonly reason?: string;
}
interface ProposalRead {
  readonly data: {
    readonly id: string;
    readonly phase: string;
    readonly allowedActions: readonly AllowedAction[];
    readonly own: { readonly vote: { readonly id: string } | null } | null;
  };
}
interface Member {
  readonly address: string;
  readonly session: { readonly key: string; readonly headers?: Readonly<Record<string, string>> };
}
interface StakesRead {
  readonly data: {
    readonly stakes: readonly {
      readonly id: string;
      readonly wallet: string;
      readonly allowedActions: AllowedAction[];
    }[];
  };
}

const unknownId = '01890a5d-ac96-774b-bcce-b302099a8057';
type Phase = 'draft' | 'voting' | 'lock' | 'execution' | 'ended';

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

const readProposalAs = async (id: string, { session }: Pick<Member, 'session'>) => {
  const { status, body } = await service.api.get<ProposalRead>(`/proposals/${id}`, session);
  expect(status).toBe(200);
  return body.data;
};
const allowedOrReason = ({ allowed, reason }: AllowedAction) => reason ?? allowed;

/** Attempts an operation; returns true or the error code, as `allowedActions` states them. */
async function attemptAction(id: string, action: string, { address, session }: Member, voteId: string) {
  const { api } = service;
  const execution = { executing_user: address, cosigners: [], action: { type: 'liquidate', details: {} } };
  const attempts: Record<string, () => Promise<{ status: number; body: unknown }>> = {
    endorse: () => api.post(`/proposals/${id}/endorsements`, { walletAddress: address }, session),
    vote: () => api.post(`/proposals/${id}/votes`, voteBody(address, 1, 'yes'), session),
    revokeVote: () => api.del(`/votes/${voteId}`, undefined, session),
    cancel: () => api.del(`/proposals/${id}`, undefined, session),
    freeze: () => api.post(`/proposals/${id}/executions`, execution, session),
    execute: () => api.post(`/proposals/${id}/execute`, execution, session),
  };
  const { status, body } = await attempts[action]!();
  return status < 300 || (body as ExecuteAnswer).error.code;
}

/** An API key without a wallet; a VOTER may read, but cannot act for any wallet. */
async function newKey(grants: { roles?: string[]; permissions?: Permission[] }): Promise<string> {
  const text = formatApiKey({ environment: 'test', id: randomBytes(16).toString('hex'), secret: randomBytes(32) });
  const { id, environment, secret } = parseApiKey(text)!;
  const key = { id, environment, name: 'app', secretHash: hashSecret(secret), createdBy: 'test' };
  await insertApiKey(service.db, { roles: [], ...key, ...grants, createdAt: new Date() });
  return text;
}

async function vaultWithMembers() {
  const { vaultId, people } = await loggedInMembers(service, [60_000, 15_000, 10_000, 20_000, 20_000, 200_000]);
  const [admin, proposer, staker, voter, revoker, cosigner, stranger] = people;
  const everybody = { admin, proposer, staker, voter, revoker, cosigner, stranger } as Record<string, Member>;
  return { vaultId, everybody };
}

/** Creates a proposal that needs no cosigner in the given phase; from voting on it has one live vote and one revoked vote. */
async function proposalIn(phase: Phase, { vaultId, everybody }: Awaited<ReturnType<typeof vaultWithMembers>>) {
  const { api, sql } = service;
  const { proposer, voter, revoker, cosigner } = everybody;
  const body = proposalBody(proposer!.address);
  const governance_thresholds = { ...body.governance_thresholds, required_cosigners: 0 };
  const path = `/vaults/${vaultId}/proposals`;
  const created = await api.post<{ proposal_id: string }>(path, { ...body, governance_thresholds });
  expect(created.status).toBe(201);
  const id = created.body.proposal_id;
  if (phase === 'draft') return { id, revokedVoteId: unknownId };
  const endorsement = { walletAddress: cosigner!.address };
  expect(await api.post(`/proposals/${id}/endorsements`, endorsement)).toMatchObject({ status: 201 });
  const castVote = async ({ address }: Member) => {
    const { status, body: cast } = await api.post<{ vote_id: string }>(
      `/proposals/${id}/votes`,
      voteBody(address, 5, 'yes'),
    );
    expect(status).toBe(200);
    return cast.vote_id;
  };
  await castVote(voter!);
  const revokedVoteId = await castVote(revoker!);
  expect(await api.del(`/votes/${revokedVoteId}`)).toMatchObject({ status: 200 });
  if (phase === 'voting') return { id, revokedVoteId };
  await sql.run`update proposals set status = 'PASSED', voting_starts_at = now() - interval '4 h',
       voting_ends_at = now() - interval '3 h', lock_ends_at = now() + ${phase === 'execution' ? -1 : 1} * interval '1 h',
       execution_ends_at = now() + interval '40 h' where id = ${id}`;
  const ended = phase === 'ended' ? await api.del(`/proposals/${id}`) : { status: 200 };
  expect(ended).toMatchObject({ status: 200 });
  return { id, revokedVoteId };
}

const stakers = ['admin', 'cosigner', 'proposer', 'revoker', 'staker', 'voter'];

test.each<[Phase, Record<string, string[]>]>([
  ['draft', { endorse: stakers.filter((name) => name !== 'proposer'), cancel: ['admin', 'proposer'] }],
  ['voting', { vote: stakers, revokeVote: ['voter'] }],
  ['lock', { cancel: ['admin', 'proposer'] }],
  ['execution', { freeze: ['admin', 'cosigner', 'proposer'], execute: ['admin', 'cosigner', 'proposer'] }],
  ['ended', {}],
])(
  'in the phase %s allowedActions predicts the answer of every operation for every member',
  async (phase, expectedNames) => {
    const vault = await vaultWithMembers();
    const allowedNames: Record<string, string[]> = {};
    const check = async ([name, member]: [string, Member]) => {
      const { id, revokedVoteId } = await proposalIn(phase, vault);
      const { allowedActions: first, phase: shownPhase } = await readProposalAs(id, member);
      expect(shownPhase).toBe(phase);
      for (const { action, allowed } of first) if (allowed) (allowedNames[action] ??= []).push(name);
      for (const { action } of first) {
        const { allowedActions, own } = await readProposalAs(id, member);
        const predicted = allowedOrReason(allowedActions.find((one) => one.action === action)!);
        const voteId = own?.vote?.id ?? (name === 'revoker' ? revokedVoteId : unknownId);
        const answer = { name, action, answer: await attemptAction(id, action, member, voteId) };
        expect(answer).toEqual({ name, action, answer: predicted });
      }
    };
    await Promise.all(Object.entries(vault.everybody).map(check));
    const sorted = Object.entries(allowedNames).map(([action, names]) => [action, names.sort()]);
    expect(Object.fromEntries(sorted)).toEqual(expectedNames);
  },
);

test('an endorser gets ALREADY_ENDORSED until more stake would let their endorsement open the vote', async () => {
  const vault = await vaultWithMembers();
  const { proposer, staker } = vault.everybody;
  const { id } = await proposalIn('draft', vault);
  const endorsing = async (member: Member) => {
    const predicted = allowedOrReason((await readProposalAs(id, member)).allowedActions[0]!);
    expect(await attemptAction(id, 'endorse', member, unknownId)).toBe(predicted);
    return predicted;
  };
  expect(await endorsing(staker!)).toBe(true);
  expect(await endorsing(staker!)).toBe('ALREADY_ENDORSED');
  expect(await endorsing(proposer!)).toBe('ALREADY_ENDORSED');
  await seedStakes(service.sql, vault.vaultId, [{ wallet: proposer!.address, tokens: 30_000 }], new Date());
  expect(await endorsing(proposer!)).toBe(true);
  expect(await endorsing(staker!)).toBe('ENDORSING_CLOSED');
});

test('a key without a wallet gets the actions of any wallet if it may act for wallets, and otherwise lacks permission', async () => {
  const vault = await vaultWithMembers();
  const { id } = await proposalIn('draft', vault);
  const voterApp = {
    address: vault.everybody['staker']!.address,
    session: { key: await newKey({ roles: ['VOTER'] }) },
  };
  const backend = { session: { key: service.adminKey } };
  const open = (await readProposalAs(id, backend)).allowedActions.map(allowedOrReason);
  const early = 'EXECUTION_NOT_OPEN';
  expect(open).toEqual([true, 'VOTING_NOT_OPEN', 'VOTING_NOT_OPEN', true, early, early]);
  for (const { action, ...rest } of (await readProposalAs(id, voterApp)).allowedActions) {
    expect(rest).toEqual({ allowed: false, reason: 'INSUFFICIENT_PERMISSIONS' });
    expect(await attemptAction(id, action, voterApp, unknownId)).toBe('INSUFFICIENT_PERMISSIONS');
  }
  const adminSession = { session: { ...vault.everybody['staker']!.session, key: service.adminKey } };
  expect((await readProposalAs(id, adminSession)).allowedActions.map(allowedOrReason)[3]).toBe(true);
});

test('a key that acts for any wallet is told what its permissions allow, of proposals, stakes and vaults', async () => {
  const vault = await vaultWithMembers();
  const { id } = await proposalIn('voting', vault);
  const may = (resource: string, action: Permission['action']) => ({ resource, action });
  const reads = ['vault', 'proposal', 'stake'].map((resource) => may(resource, 'READ'));
  const permissions = [...reads, may('wallet', 'UPDATE'), may('vote', 'CREATE'), may('stake', 'CREATE')];
  const app = { address: vault.everybody['staker']!.address, session: { key: await newKey({ permissions }) } };
  const { allowedActions } = await readProposalAs(id, app);
  expect(allowedActions.filter(({ allowed }) => allowed).map(({ action }) => action)).toEqual(['vote']);
  for (const one of allowedActions)
    expect([one.action, await attemptAction(id, one.action, app, unknownId)]).toEqual([
      one.action,
      allowedOrReason(one),
    ]);

  const { body } = await service.api.get<StakesRead>(`/vaults/${vault.vaultId}/stakes`, app.session);
  for (const { id: stakeId, allowedActions: ofStake } of body.data.stakes) {
    expect(ofStake.map(allowedOrReason)).toEqual(['INSUFFICIENT_PERMISSIONS']);
    expect(await service.api.del(`/stakes/${stakeId}`, undefined, app.session)).toMatchObject({ status: 403 });
  }
  const ofVault = await service.api.get<ProposalRead>(`/vaults/${vault.vaultId}`, app.session);
  const mayDo = ofVault.body.data.allowedActions.filter(({ allowed }) => allowed).map(({ action }) => action);
  expect(mayDo).toEqual(['stake']);
});

test('the list of proposals shows a wallet the same allowedActions as reading each proposal', async () => {
  const vault = await vaultWithMembers();
  const ids = [];
  for (const phase of ['draft', 'voting', 'lock', 'execution', 'ended'] as const) {
    ids.push((await proposalIn(phase, vault)).id);
  }
  for (const member of Object.values(vault.everybody)) {
    const path = `/vaults/${vault.vaultId}/proposals?sort=createdAt:asc`;
    const { body } = await service.api.get<{ data: { proposals: ProposalRead['data'][] } }>(path, member.session);
    expect(body.data.proposals.map(({ id }) => id)).toEqual(ids);
    for (const { id, allowedActions } of body.data.proposals) {
      expect(allowedActions).toEqual((await readProposalAs(id, member)).allowedActions);
    }
  }
});

test('only the owner of a stake sees unstake as allowed', async () => {
  const vault = await vaultWithMembers();
  const { staker, voter } = vault.everybody;
  await proposalIn('voting', vault);
  const { body } = await service.api.get<StakesRead>(`/vaults/${vault.vaultId}/stakes`, voter!.session);
  expect(body.data.stakes).toHaveLength(6);
  for (const { id, wallet, allowedActions } of body.data.stakes) {
    const reason = wallet === voter!.address ? 'STAKE_LOCKED' : 'INSUFFICIENT_PERMISSIONS';
    expect(allowedActions).toEqual([{ action: 'unstake', allowed: false, reason }]);
    const refused = await service.api.del<ExecuteAnswer>(`/stakes/${id}`, undefined, voter!.session);
    expect(refused.body.error.code).toBe(reason);
  }
  const own = body.data.stakes.find(({ wallet }) => wallet === staker!.address)!;
  const read = async (session: object) => (await service.api.get(`/stakes/${own.id}`, session)).body;
  const mayUnstake = { data: { allowedActions: [{ action: 'unstake', allowed: true }] } };
  expect(await read(staker!.session)).toMatchObject(mayUnstake);
  expect(await read({})).toMatchObject(mayUnstake);
});
