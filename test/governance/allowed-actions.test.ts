import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { formatApiKey, hashSecret, parseApiKey } from '../../src/auth/api-key.ts';
import { insertApiKey } from '../../src/store/api-keys.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { type ExecuteAnswer, executeBody } from './execution-requests.ts';
import { held, holdingVault, passed } from './vault-with-custody.ts';
import { ballot, proposalBody, refusal } from './staked-vault.ts';
import { members } from './logged-in-members.ts';
import { seedStakes } from './seed-stakes.ts';

interface Told {
  readonly action: string;
  readonly allowed: boolean;
  readonly reason?: string;
}
interface ProposalRead {
  readonly data: {
    readonly id: string;
    readonly phase: string;
    readonly allowedActions: readonly Told[];
    readonly own: { readonly vote: { readonly id: string } | null } | null;
  };
}
interface Member {
  readonly address: string;
  readonly session: { readonly key: string; readonly headers?: Readonly<Record<string, string>> };
}
interface StakesRead {
  readonly data: {
    readonly stakes: readonly { readonly id: string; readonly wallet: string; readonly allowedActions: Told[] }[];
  };
}

const nowhere = '01890a5d-ac96-774b-bcce-b302099a8057';
type Phase = 'draft' | 'voting' | 'lock' | 'execution' | 'ended';

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

const readAs = async (id: string, { session }: Pick<Member, 'session'>) => {
  const { status, body } = await service.api.get<ProposalRead>(`/proposals/${id}`, session);
  expect(status).toBe(200);
  return body.data;
};
const verdict = ({ allowed, reason }: Told) => reason ?? allowed;

/** What an operation answers, in the words of `allowedActions`. */
async function answered(id: string, action: string, { address, session }: Member, voteId: string) {
  const { api } = service;
  const execution = { executing_user: address, cosigners: [], action: { type: 'liquidate', details: {} } };
  const attempts: Record<string, () => Promise<{ status: number; body: unknown }>> = {
    endorse: () => api.post(`/proposals/${id}/endorsements`, { walletAddress: address }, session),
    vote: () => api.post(`/proposals/${id}/votes`, ballot(address, 1, 'yes'), session),
    revokeVote: () => api.del(`/votes/${voteId}`, undefined, session),
    cancel: () => api.del(`/proposals/${id}`, undefined, session),
    execute: () => api.post(`/proposals/${id}/execute`, execution, session),
  };
  const { status, body } = await attempts[action]!();
  return status < 300 || (body as ExecuteAnswer).error.code;
}

/** A key with the role VOTER and no wallet: it reads, and acts for nobody. */
async function voterKey(): Promise<string> {
  const text = formatApiKey({ environment: 'test', id: randomBytes(16).toString('hex'), secret: randomBytes(32) });
  const { id, environment, secret } = parseApiKey(text)!;
  const key = { id, environment, name: 'app', secretHash: hashSecret(secret), createdBy: 'test' };
  await insertApiKey(service.db, { ...key, roles: ['VOTER'], createdAt: new Date() });
  return text;
}

async function town() {
  const { vaultId, people } = await members(service, [60_000, 15_000, 10_000, 20_000, 20_000, 200_000]);
  const [admin, proposer, staker, voter, repentant, cosigner, stranger] = people;
  const everybody = { admin, proposer, staker, voter, repentant, cosigner, stranger } as Record<string, Member>;
  return { vaultId, everybody };
}

/** A proposal that needs no cosigner, in this phase; who voted votes again in some, and one takes the vote back. */
async function proposalIn(phase: Phase, { vaultId, everybody }: Awaited<ReturnType<typeof town>>) {
  const { api, sql } = service;
  const { proposer, voter, repentant, cosigner } = everybody;
  const body = proposalBody(proposer!.address);
  const governance_thresholds = { ...body.governance_thresholds, required_cosigners: 0 };
  const path = `/vaults/${vaultId}/proposals`;
  const created = await api.post<{ proposal_id: string }>(path, { ...body, governance_thresholds });
  expect(created.status).toBe(201);
  const id = created.body.proposal_id;
  if (phase === 'draft') return { id, taken: nowhere };
  const opening = { walletAddress: cosigner!.address };
  expect(await api.post(`/proposals/${id}/endorsements`, opening)).toMatchObject({ status: 201 });
  const voted = async ({ address }: Member) => {
    const { status, body: cast } = await api.post<{ vote_id: string }>(
      `/proposals/${id}/votes`,
      ballot(address, 5, 'yes'),
    );
    expect(status).toBe(200);
    return cast.vote_id;
  };
  await voted(voter!);
  const taken = await voted(repentant!);
  expect(await api.del(`/votes/${taken}`)).toMatchObject({ status: 200 });
  if (phase === 'voting') return { id, taken };
  await sql.query(
    `update proposals set status = 'PASSED', voting_starts_at = now() - interval '4 h',
       voting_ends_at = now() - interval '3 h', lock_ends_at = now() + $2 * interval '1 h',
       execution_ends_at = now() + interval '40 h' where id = $1`,
    [id, phase === 'execution' ? -1 : 1],
  );
  if (phase === 'ended') expect(await api.del(`/proposals/${id}`)).toMatchObject({ status: 200 });
  return { id, taken };
}

const stakers = ['admin', 'cosigner', 'proposer', 'repentant', 'staker', 'voter'];

test.each<[Phase, Record<string, string[]>]>([
  ['draft', { endorse: stakers.filter((name) => name !== 'proposer'), cancel: ['admin', 'proposer'] }],
  ['voting', { vote: stakers, revokeVote: ['voter'] }],
  ['lock', { cancel: ['admin', 'proposer'] }],
  ['execution', { execute: ['admin', 'cosigner', 'proposer'] }],
  ['ended', {}],
])(
  'in the phase %s everyone is told what the operation then answers',
  async (phase, mayDo) => {
    const place = await town();
    const told: Record<string, string[]> = {};
    const ask = async ([name, member]: [string, Member]) => {
      const { id, taken } = await proposalIn(phase, place);
      const { allowedActions: first, phase: shown } = await readAs(id, member);
      expect(shown).toBe(phase);
      for (const { action, allowed } of first) if (allowed) (told[action] ??= []).push(name);
      for (const { action } of first) {
        const { allowedActions, own } = await readAs(id, member);
        const promise = verdict(allowedActions.find((one) => one.action === action)!);
        const voteId = own?.vote?.id ?? (name === 'repentant' ? taken : nowhere);
        const answer = { name, action, answer: await answered(id, action, member, voteId) };
        expect(answer).toEqual({ name, action, answer: promise });
      }
    };
    await Promise.all(Object.entries(place.everybody).map(ask));
    const sorted = Object.entries(told).map(([action, names]) => [action, names.sort()]);
    expect(Object.fromEntries(sorted)).toEqual(mayDo);
  },
  120_000,
);

test('who stands behind a draft is told so, until with more stakes the vote opens by it', async () => {
  const place = await town();
  const { proposer, staker } = place.everybody;
  const { id } = await proposalIn('draft', place);
  const endorsing = async (member: Member) => {
    const promise = verdict((await readAs(id, member)).allowedActions[0]!);
    expect(await answered(id, 'endorse', member, nowhere)).toBe(promise);
    return promise;
  };
  expect(await endorsing(staker!)).toBe(true);
  expect(await endorsing(staker!)).toBe('ALREADY_ENDORSED');
  expect(await endorsing(proposer!)).toBe('ALREADY_ENDORSED');
  await seedStakes(service.sql, place.vaultId, [{ wallet: proposer!.address, tokens: 30_000 }], new Date());
  expect(await endorsing(proposer!)).toBe(true);
  expect(await endorsing(staker!)).toBe('ENDORSING_CLOSED');
});

test('a key without a wallet is told what is open at all, or that it may do nothing', async () => {
  const place = await town();
  const { id } = await proposalIn('draft', place);
  const nobody = { address: place.everybody['staker']!.address, session: { key: await voterKey() } };
  const backend = { session: { key: service.adminKey } };
  const open = (await readAs(id, backend)).allowedActions.map(verdict);
  expect(open).toEqual([true, 'VOTING_NOT_OPEN', 'VOTING_NOT_OPEN', true, 'EXECUTION_NOT_OPEN']);
  for (const { action, ...rest } of (await readAs(id, nobody)).allowedActions) {
    expect(rest).toEqual({ allowed: false, reason: 'INSUFFICIENT_PERMISSIONS' });
    expect(await answered(id, action, nobody, nowhere)).toBe('INSUFFICIENT_PERMISSIONS');
  }
  const beside = { session: { ...place.everybody['staker']!.session, key: service.adminKey } };
  expect((await readAs(id, beside)).allowedActions.map(verdict)[3]).toBe(true);
});

test('a listing tells a wallet of each proposal what reading it tells', async () => {
  const place = await town();
  const ids = [];
  for (const phase of ['draft', 'voting', 'lock', 'execution', 'ended'] as const) {
    ids.push((await proposalIn(phase, place)).id);
  }
  for (const member of Object.values(place.everybody)) {
    const path = `/vaults/${place.vaultId}/proposals?sort=createdAt:asc`;
    const { body } = await service.api.get<{ data: { proposals: ProposalRead['data'][] } }>(path, member.session);
    expect(body.data.proposals.map(({ id }) => id)).toEqual(ids);
    for (const { id, allowedActions } of body.data.proposals) {
      expect(allowedActions).toEqual((await readAs(id, member)).allowedActions);
    }
  }
});

test('only its owner is told that a stake may leave', async () => {
  const place = await town();
  const { staker, voter } = place.everybody;
  await proposalIn('voting', place);
  const { body } = await service.api.get<StakesRead>(`/vaults/${place.vaultId}/stakes`, voter!.session);
  expect(body.data.stakes).toHaveLength(6);
  for (const { id, wallet, allowedActions } of body.data.stakes) {
    const reason = wallet === voter!.address ? 'STAKE_LOCKED' : 'INSUFFICIENT_PERMISSIONS';
    expect(allowedActions).toEqual([{ action: 'unstake', allowed: false, reason }]);
    const refused = await service.api.del<ExecuteAnswer>(`/stakes/${id}`, undefined, voter!.session);
    expect(refused.body.error.code).toBe(reason);
  }
  const own = body.data.stakes.find(({ wallet }) => wallet === staker!.address)!;
  const read = async (session: object) => (await service.api.get(`/stakes/${own.id}`, session)).body;
  const leaves = { data: { allowedActions: [{ action: 'unstake', allowed: true }] } };
  expect(await read(staker!.session)).toMatchObject(leaves);
  expect(await read({})).toMatchObject(leaves);
});

test('who buys may execute the sale: the buyer of the vote, or anyone where it names none, until it is frozen', async () => {
  const vault = await holdingVault(service);
  const [buyer, other] = [signingWallet(), signingWallet()];
  const [asBuyer, asOther] = [await logIn(service, buyer), await logIn(service, other)];
  // The transaction that is frozen first holds one of them.
  for (const { address } of [buyer, buyer, other]) await service.ledger.faucet({ address, lovelace: '2000000000' });
  await service.ledger.mine();
  const villa = [await held(service, vault), await held(service, vault)];
  const sale = (asset: object) => ({ type: 'sell_asset', details: { ...asset, price: 500_000_000 } });
  const executes = async (id: string, session: object) => {
    const { body } = await service.api.get<ProposalRead>(`/proposals/${id}`, session);
    return verdict(body.data.allowedActions.find(({ action }) => action === 'execute')!);
  };
  const attempt = (id: string, { address }: { address: string }, asset: object, session: object) => {
    const body = executeBody({ ...vault.big, address }, [vault.big, vault.middle], sale(asset));
    return service.api.post(`/proposals/${id}/execute`, body, session);
  };
  const terms = { price: 500_000_000, buyer_address: buyer.address };
  const fixed = { action_type: 'sell_asset', affected_assets: [villa[0]], terms };
  const open = { action_type: 'sell_asset', affected_assets: [villa[1]], terms: { price: 500_000_000 } };
  const [fixedId, openId] = [await passed(service, vault, fixed), await passed(service, vault, open)];
  expect(await executes(fixedId, asBuyer)).toBe(true);
  expect(await executes(openId, asBuyer)).toBe(true);
  expect(await executes(fixedId, asOther)).toBe('EXECUTOR_NOT_ELIGIBLE');
  expect(await executes(openId, asOther)).toBe(true);

  const [stranger, unsigned] = [refusal(403, 'EXECUTOR_NOT_ELIGIBLE'), refusal(403, 'INSUFFICIENT_SIGNATURES')];
  expect(await attempt(fixedId, other, villa[0]!, asOther)).toMatchObject(stranger);
  expect(await attempt(fixedId, buyer, villa[0]!, asBuyer)).toMatchObject(unsigned);
  expect(await attempt(openId, buyer, villa[1]!, asBuyer)).toMatchObject(unsigned);
  expect(await executes(openId, asOther)).toBe('EXECUTOR_NOT_ELIGIBLE');
  expect(await attempt(openId, other, villa[1]!, asOther)).toMatchObject(stranger);
  expect(await executes(openId, asBuyer)).toBe(true);
});
