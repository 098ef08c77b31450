import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { person } from '../vault-lifecycle/participants.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { ballot, lockedVault, proposalBody, propose, refusal } from './staked-vault.ts';
import { members, rows } from './logged-in-members.ts';
import { seedStakes } from './seed-stakes.ts';

interface Recorded {
  readonly vote_id: string;
}
interface Created {
  readonly proposal_id: string;
}

const DAY = 86_400;
const forbidden = refusal(403, 'INSUFFICIENT_PERMISSIONS');
const nowhere = '01890a5d-ac96-774b-bcce-b302099a8057';

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A proposal of somebody with too little stake to open its vote. */
async function draft(vaultId: string, proposer: string): Promise<string> {
  const answer = await service.api.post<Created>(`/vaults/${vaultId}/proposals`, proposalBody(proposer));
  expect(answer.status).toBe(201);
  return answer.body.proposal_id;
}

test('a logged-in wallet proposes, endorses, votes and revokes for itself and reads its own part; nobody does it for another', async () => {
  const { vaultId, people } = await members(service, [30_000, 40_000]);
  const [alice, bob, stranger] = people;
  if (!alice || !bob || !stranger) throw new Error('somebody is missing');
  const { api } = service;
  const path = `/vaults/${vaultId}/proposals`;
  expect(await api.post(path, proposalBody(alice.address), bob.session)).toMatchObject(forbidden);
  const created = await api.post<Created>(path, proposalBody(alice.address), alice.session);
  expect(created.status).toBe(201);
  const one = `/proposals/${created.body.proposal_id}`;

  expect(await api.post(`${one}/endorsements`, { walletAddress: bob.address }, stranger.session)).toMatchObject(
    forbidden,
  );
  expect(await api.del(one, undefined, bob.session)).toMatchObject(forbidden);
  expect(await api.post(`${one}/endorsements`, {}, bob.session)).toMatchObject({
    status: 201,
    body: { data: { status: 'ACTIVE' } },
  });
  const votes = `${one}/votes`;
  expect(await api.post(votes, ballot(alice.address, 10, 'yes'), bob.session)).toMatchObject(forbidden);
  expect(await api.post(votes, ballot(alice.address, 10, 'yes'), { key: alice.session.key })).toMatchObject({
    status: 403,
  });
  const cast = await api.post<Recorded>(votes, ballot(alice.address, 10, 'yes'), alice.session);
  expect(cast.status).toBe(200);
  const changed = await api.post<Recorded>(votes, ballot(alice.address, 20.5, 'no'), alice.session);
  expect(changed.status).toBe(200);

  const own = async (options: object) => (await api.get<{ data: { own: unknown } }>(one, options)).body.data.own;
  expect(await own(alice.session)).toMatchObject({
    wallet: alice.address,
    power: 30_000,
    vote: { id: changed.body.vote_id, decision: 'REJECT', amount: 20.5, status: 'CAST' },
  });
  expect(await own(bob.session)).toMatchObject({ wallet: bob.address, power: 40_000, vote: null });
  expect(await own(stranger.session)).toMatchObject({ wallet: stranger.address, power: 0, vote: null });
  expect(await own({})).toBeNull();

  const path2 = `/votes/${changed.body.vote_id}`;
  expect(await api.del(path2, undefined, bob.session)).toMatchObject(forbidden);
  expect(await api.del(path2, undefined, alice.session)).toMatchObject({ body: { data: { status: 'REVOKED' } } });
  expect(await own(alice.session)).toMatchObject({ power: 30_000, vote: null });
  const { rows: audited } = await service.sql.query<{ line: string }>(
    `select concat_ws(' ', action, actor_type, metadata ->> 'onBehalfOf') as line from audit_log
      where actor_id in ($1, $2) and action similar to '(PROPOSAL|VOTE)%' order by at, id`,
    [alice.address, bob.address],
  );
  const deeds = ['PROPOSAL_CREATED', 'PROPOSAL_ENDORSED', 'VOTE_CAST', 'VOTE_CAST', 'VOTE_REVOKED'];
  expect(audited.map(({ line }) => line)).toEqual(deeds.map((action) => `${action} WALLET`));
});

test('a key that speaks for another wallet is what the audit log names, whoever is logged in beside it', async () => {
  const { vaultId, people } = await members(service, [60_000, 20_000]);
  const [alice, bob] = people;
  if (!alice || !bob) throw new Error('somebody is missing');
  const { api, sql, adminKey } = service;
  const proposalId = await propose(service, vaultId, alice.address);
  const as = { ...alice.session, key: adminKey };
  for (const { address } of [alice, bob]) {
    expect((await api.post(`/proposals/${proposalId}/votes`, ballot(address, 5, 'yes'), as)).status).toBe(200);
  }
  const { rows: audited } = await sql.query<{ line: string }>(
    `select concat_ws(' ', actor_type, metadata ->> 'onBehalfOf') as line from audit_log
      where action = 'VOTE_CAST' and metadata ->> 'proposalId' = $1 order by at, id`,
    [proposalId],
  );
  expect(audited.map(({ line }) => line)).toEqual(['WALLET', `API_KEY ${bob.address}`]);
});

test('each thing that governance refuses has its own code and changes nothing', async () => {
  const { vaultId, voters } = await lockedVault(service, [60_000, 20_000, 10_000], (number) => {
    return person(number + 350).address;
  });
  const [big = '', middle = '', small = ''] = voters;
  const late = person(360).address;
  const [open, waiting] = [await propose(service, vaultId, big), await draft(vaultId, small)];
  await seedStakes(service.sql, vaultId, [{ wallet: late, tokens: 500 }], new Date(Date.now() + 3_600_000));
  await service.advance(2 * 3600);
  const { api } = service;
  const cast = await api.post<Recorded>(`/proposals/${open}/votes`, ballot(big, 10, 'yes'));
  const endorse = (id: string, walletAddress: string) => api.post(`/proposals/${id}/endorsements`, { walletAddress });
  const vote = (id: string, wallet: string, tokens = 1) =>
    api.post(`/proposals/${id}/votes`, ballot(wallet, tokens, 'no'));
  const proposing = (thresholds: object, details: object = {}) => {
    const body = proposalBody(big);
    return api.post(`/vaults/${vaultId}/proposals`, {
      ...body,
      proposal_details: { ...body.proposal_details, ...details },
      governance_thresholds: { ...body.governance_thresholds, ...thresholds },
    });
  };
  const refused = async (code: string, ask: () => Promise<unknown>, status = 400) => {
    const before = await rows(service);
    expect(await ask()).toMatchObject(refusal(status, code));
    expect(await rows(service)).toEqual(before);
  };

  for (const [name, laxer] of [
    ['creation', 0.5],
    ['start', 4],
    ['vote', 29],
    ['execution', 50],
    ['cosigning', 9],
  ] as const) {
    await refused('THRESHOLD_BELOW_VAULT', () => proposing({ [`${name}_threshold`]: laxer }));
  }
  const moon = { action_type: 'sell_asset', affected_assets: [{ policy_id: 'ab'.repeat(28), asset_name: 'Moon' }] };
  await refused('ASSET_NOT_IN_VAULT', () => proposing({}, moon));
  await refused('CREATION_THRESHOLD_NOT_MET', () => api.post(`/vaults/${vaultId}/proposals`, proposalBody(late)));
  await refused('VAULT_NOT_FOUND', () => api.post(`/vaults/${nowhere}/proposals`, proposalBody(big)), 404);

  await refused('VOTING_NOT_OPEN', () => vote(waiting, middle));
  await refused('ALREADY_ENDORSED', () => endorse(waiting, small));
  await refused('INSUFFICIENT_VOTING_POWER', () => endorse(waiting, person(361).address));
  expect(await endorse(waiting, middle)).toMatchObject({ status: 201, body: { data: { status: 'DRAFT' } } });
  const told = 'select message from workflow_notices where workflow_id = $1';
  const { rows: notices } = await service.sql.query(told, [`proposal-${waiting}`]);
  // However many stand behind a draft in vain, the history of its workflow does not grow.
  expect(notices).toMatchObject([{ message: { kind: 'start' } }]);
  await refused('ALREADY_ENDORSED', () => endorse(waiting, middle));
  await refused('ENDORSING_CLOSED', () => endorse(open, middle));
  await refused('PROPOSAL_NOT_FOUND', () => endorse(nowhere, middle), 404);
  await refused('PROPOSAL_NOT_CANCELLABLE', () => api.del(`/proposals/${open}`));
  await refused('PROPOSAL_NOT_FOUND', () => api.del(`/proposals/${nowhere}`), 404);

  await refused('NOT_STAKED_AT_SNAPSHOT', () => vote(open, late));
  await refused('NOT_STAKED_AT_SNAPSHOT', () => vote(open, person(361).address));
  await refused('INSUFFICIENT_VOTING_POWER', () => vote(open, middle, 20_001));
  await refused('INVALID_ADDRESS', () => vote(open, 'nobody'));
  await refused('WRONG_NETWORK', () => vote(open, signingWallet({ network: 1 }).address));
  await refused('PROPOSAL_NOT_FOUND', () => vote(nowhere, middle), 404);
  await refused('VOTE_NOT_FOUND', () => api.del(`/votes/${nowhere}`), 404);

  await service.advance(3 * DAY);
  await refused('VOTING_CLOSED', () => vote(open, middle));
  await refused('VOTING_CLOSED', () => api.del(`/votes/${cast.body.vote_id}`));
  await service.advance(5 * DAY);
  await refused('ENDORSING_CLOSED', () => endorse(waiting, big));
  await refused('VOTING_CLOSED', () => vote(waiting, middle));
  await refused('PROPOSAL_NOT_CANCELLABLE', () => api.del(`/proposals/${waiting}`));
});

test('the same vote under one key counts once, however it comes, and another one under it is refused', async () => {
  const { vaultId, voters } = await lockedVault(service, [60_000, 20_000], (number) => person(number + 370).address);
  const [big = '', middle = ''] = voters;
  const proposalId = await propose(service, vaultId, big);
  const { api, sql } = service;
  const under = (key: string) => ({ headers: { 'idempotency-key': key } });
  const vote = (key: string, tokens = 5) =>
    api.post<Recorded>(`/proposals/${proposalId}/votes`, ballot(middle, tokens, 'yes'), under(key));
  const cast = async () => (await sql.query('select 1 from votes where proposal_id = $1', [proposalId])).rows.length;

  const twins = await Promise.all(Array.from({ length: 5 }, () => vote('one')));
  expect(twins.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(new Set(twins.map(({ body }) => body.vote_id)).size).toBe(1);
  expect(twins.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(4);
  expect(await cast()).toBe(1);
  expect(await vote('one', 6)).toMatchObject(refusal(422, 'IDEMPOTENCY_KEY_REUSED'));
  expect(await vote('two', 20_001)).toMatchObject(refusal(400, 'INSUFFICIENT_VOTING_POWER'));
  expect(await vote('two', 6)).toMatchObject({ status: 200 });
  expect(await cast()).toBe(2);

  const { vote_id: id } = (await vote('three', 7)).body;
  const revoked = [
    await api.del(`/votes/${id}`, undefined, under('back')),
    await api.del(`/votes/${id}`, undefined, under('back')),
  ];
  expect(revoked[0]).toMatchObject({ status: 200, body: { data: { status: 'REVOKED' } } });
  expect(revoked[1]?.body).toEqual(revoked[0]?.body);
  expect(await api.del(`/votes/${id}`)).toMatchObject(refusal(400, 'VOTE_ALREADY_REVOKED'));
});

test('wallets that share an API key do not share their idempotency keys', async () => {
  const { vaultId, people } = await members(service, [60_000, 20_000]);
  const [alice, bob] = people;
  if (!alice || !bob) throw new Error('somebody is missing');
  const proposalId = await propose(service, vaultId, alice.address);
  const vote = ({ address, session }: typeof alice) =>
    service.api.post<Recorded>(`/proposals/${proposalId}/votes`, ballot(address, 5, 'yes'), {
      key: alice.session.key,
      headers: { ...session.headers, 'idempotency-key': `vote-${proposalId}` },
    });
  const votes = [await vote(alice), await vote(bob), await vote(alice)];
  expect(votes.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(votes[2]?.body).toEqual(votes[0]?.body);
  expect(votes[1]?.body.vote_id).not.toBe(votes[0]?.body.vote_id);
});

test('a vault that is decided to end takes no proposal any more and opens no vote', async () => {
  const { vaultId, proposer, voters } = await lockedVault(service, [30_000, 60_000], (n) => person(380 + n).address);
  const one = `/proposals/${await draft(vaultId, proposer)}`;
  await service.sql.query("update vaults set failed_because = 'liquidated' where id = $1", [vaultId]);
  const before = await rows(service);
  const ended = refusal(400, 'VAULT_ALREADY_ENDED');
  expect(await service.api.post(`/vaults/${vaultId}/proposals`, proposalBody(proposer))).toMatchObject(ended);
  expect(await service.api.post(`${one}/endorsements`, { walletAddress: voters[1] })).toMatchObject(ended);
  expect(await rows(service)).toEqual(before);
  const actions: unknown = expect.arrayContaining([
    { action: 'endorse', allowed: false, reason: 'VAULT_ALREADY_ENDED' },
  ]);
  expect(await service.api.get(one)).toMatchObject({ body: { data: { status: 'DRAFT', allowedActions: actions } } });
});
