import { expect, test } from '@jest/globals';
import { signingWallet } from '../http/signing-wallet.ts';
import { apiService } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { lockedVault, proposalBody, propose, voteBody } from './staked-vault.ts';
import { errorResponse } from '../stack/error-response.ts';

const DAY = 86_400;

const refused = (action: string, wallet: string) =>
  errorResponse(429, 'FREE_ACTIONS_USED_UP', { wallet, action, limit: 2, retryAfterSeconds: expect.any(Number) });

test('a wallet changes votes, endorses, proposes and changes vaults as often as it may within a day, over all processes', async () => {
  await using service = await apiService({ FREE_ACTIONS_PER_DAY: '2' });
  const { api, sql } = service;
  const other = await service.secondApi();
  const { vaultId, voters, proposer } = await lockedVault(service, [60_000, 20_000, 20_000]);
  const [, bob = '', carol = ''] = voters;
  const atOnce = async <Answer>(ask: (from: typeof api, index: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: 6 }, (_, index) => ask(index % 2 === 0 ? api : other, index)));
  const proposed = await atOnce((from) =>
    from.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, proposalBody(proposer)),
  );
  const made = proposed.filter(({ status }) => status === 201);
  expect(made).toHaveLength(2);
  const [first = '', second = ''] = made.map(({ body }) => body.proposal_id);
  expect(await other.post(`/vaults/${vaultId}/proposals`, proposalBody(proposer))).toMatchObject(
    refused('proposal', proposer),
  );

  const vote = (proposalId: string, wallet: string, tokens: number, from = api) =>
    from.post<{ vote_id: string }>(`/proposals/${proposalId}/votes`, voteBody(wallet, tokens, 'yes'));
  expect(await vote(first, bob, 1)).toHaveProperty('status', 200);
  const changes = await atOnce((from, index) => vote(first, bob, 2 + index, from));
  expect(changes.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429, 429]);
  const live = await sql.run<{ id: string }>`select id from votes where wallet = ${bob} and status <> 'REVOKED'`;
  const liveId = live[0]?.id ?? '';
  expect(await vote(first, bob, 4)).toMatchObject(refused('vote_change', bob));
  expect(await other.del(`/votes/${liveId}`)).toMatchObject(refused('vote_change', bob));
  expect(await api.get(`/votes/${liveId}`)).toMatchObject({ body: { data: { status: 'CAST' } } });
  // What changes nothing is not limited: the first vote on another proposal, and what others do.
  expect(await vote(second, bob, 5)).toHaveProperty('status', 200);
  expect(await vote(first, carol, 6)).toHaveProperty('status', 200);

  await sql.run`insert into anchored_actions (wallet, kind, at) select ${carol}, 'endorsement', now()
      from generate_series(1, 2)`;
  const { governance_thresholds: thresholds, ...draft } = proposalBody(bob);
  const { body } = await api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, {
    ...draft,
    governance_thresholds: { ...thresholds, start_threshold: 20 },
  });
  const endorse = (walletAddress: string) => api.post(`/proposals/${body.proposal_id}/endorsements`, { walletAddress });
  expect(await endorse(carol)).toMatchObject(refused('endorsement', carol));
  expect(await endorse(proposer)).toHaveProperty('status', 201);

  await service.advance(DAY + 60);
  expect(await vote(first, bob, 7)).toHaveProperty('status', 200);
  expect(await propose(service, vaultId, proposer)).toMatch(/^[0-9a-f-]{36}$/);
});

test('an admin creates and changes vaults as often as they may within a day, and a refused change counts for nothing', async () => {
  await using service = await apiService({ FREE_ACTIONS_PER_DAY: '2' });
  const { api, sql } = service;
  const { address: admin } = await service.fundedWallet();
  const create = () => api.post<{ vault_id: string }>('/vaults', vaultBody(admin));
  const made = (await Promise.all(Array.from({ length: 6 }, create))).filter(({ status }) => status === 201);
  expect(made).toHaveLength(2);
  const vaultId = made[0]?.body.vault_id ?? '';
  const third = await create();
  expect(third).toMatchObject(refused('vault_creation', admin));
  expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(DAY - 600);

  const change = (body: object) => api.patch(`/vaults/${vaultId}`, body);
  const list = (enabled: boolean) => change({ investorAllowList: { enabled } });
  await sql.run`update vaults set status = 'ACTIVE' where id = ${vaultId}`;
  expect(await change({ valuationType: 'LBE' })).toMatchObject(errorResponse(400, 'SETTING_NOT_CHANGEABLE'));
  expect(await list(true)).toHaveProperty('status', 200);
  expect(await list(false)).toHaveProperty('status', 200);
  expect(await list(true)).toMatchObject(refused('vault_change', admin));
  const rows = await sql.run<{ kind: string; count: number }>`select kind, count(*)::int as count
      from anchored_actions group by kind order by kind`;
  expect(rows).toEqual([
    { kind: 'vault_change', count: 2 },
    { kind: 'vault_creation', count: 2 },
  ]);
});

test('a key that may not act for a wallet counts for itself when it names that wallet as the admin of vaults', async () => {
  await using service = await apiService({ FREE_ACTIONS_PER_DAY: '2' });
  const [named, other] = [await service.fundedWallet(), await service.fundedWallet()];
  const made = await service.api.post<{ data: { id: string; key: string } }>('/api-keys', {
    name: 'tenant',
    roles: ['VAULT_CREATOR'],
  });
  const { id, key } = made.body.data;
  const create = (admin: string, as: object = { key }) => service.api.post('/vaults', vaultBody(admin), as);
  for (const { address } of [named, other]) expect(await create(address)).toHaveProperty('status', 201);
  expect(await create(other.address)).toMatchObject(refused('vault_creation', id));
  expect(await create(named.address, {})).toHaveProperty('status', 201);
});

test('an endorsement and a change of a vault do not come too late because the budget of anchors is spent', async () => {
  await using service = await apiService({
    ANCHOR_MIN_INTERVAL: '100',
    ANCHOR_MAX_INTERVAL: '60000',
    ANCHOR_DAILY_BUDGET: '0',
  });
  const { api, sql } = service;
  const { vaultId, proposer, voters } = await lockedVault(service, [20_000, 60_000]);
  const {
    body: { vault_id: changedId },
  } = await api.post<{ vault_id: string }>('/vaults', vaultBody(proposer));
  const { governance_thresholds: thresholds, ...draft } = proposalBody(proposer);
  // The first fact is anchored at once; from now on facts wait a minute for each other.
  const proposed = await api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, {
    ...draft,
    governance_thresholds: { ...thresholds, start_threshold: 50 },
  });
  const proposalId = proposed.body.proposal_id;
  const anyKey = await logIn(service, signingWallet());
  expect(await api.get('/anchors/pace', { key: anyKey.key })).toMatchObject({
    status: 200,
    body: { data: { intervalSeconds: 60, maxIntervalSeconds: 60 } },
  });
  const soon = "now() + interval '5 seconds'";
  await sql.query(`update proposals set draft_expires_at = ${soon} where id = $1`, [proposalId]);
  await sql.query(`update windows set starts_at = ${soon} where vault_id = $1 and kind = 'asset'`, [changedId]);

  const [endorsed, changed] = await Promise.all([
    api.post(`/proposals/${proposalId}/endorsements`, { walletAddress: voters[1] }),
    api.patch(`/vaults/${changedId}`, { valuationType: 'FIXED' }),
  ]);
  expect(endorsed).toMatchObject({ status: 201, body: { data: { status: 'DRAFT' } } });
  expect(changed).toMatchObject({ status: 200, body: { data: { investmentWindow: { valuationType: 'FIXED' } } } });
});
