import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { person } from '../vault-lifecycle/participants.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { voteBody, lockedVault, proposalBody, propose } from './staked-vault.ts';
import { loggedInMembers, governanceState } from './logged-in-members.ts';

interface ProposalResponse {
  readonly proposal_id: string;
}
interface VoteResponse {
  readonly vote_id: string;
}
interface AnchoredResponse {
  readonly proof: string;
  readonly transaction: { readonly tx_hash: string };
}
interface Anchored {
  readonly transaction: { readonly hash: string; readonly proof: string };
}
interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string };
}

const unknownId = '01890a5d-ac96-774b-bcce-b302099a8057';

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

test('the response to every anchored action links to the proof of its anchor', async () => {
  const { api } = service;
  const { vaultId, voters, proposer } = await lockedVault(
    service,
    [20_000, 60_000],
    (number) => person(number + 390).address,
  );
  const bob = voters[1] ?? '';
  const path = `/vaults/${vaultId}/proposals`;
  const created = await api.post<AnchoredResponse & ProposalResponse>(path, proposalBody(proposer));
  const proposalPath = `/proposals/${created.body.proposal_id}`;
  const endorsed = await api.post<{ data: Anchored }>(`${proposalPath}/endorsements`, { walletAddress: bob });
  const cast = await api.post<AnchoredResponse & VoteResponse>(`${proposalPath}/votes`, voteBody(bob, 5, 'yes'));
  const revoked = await api.del<{ data: Anchored }>(`/votes/${cast.body.vote_id}`);
  const other = (await api.post<ProposalResponse>(path, proposalBody(proposer))).body.proposal_id;
  const cancelled = await api.del<{ data: Anchored }>(`/proposals/${other}`);

  const answers: [kind: string, proof: string, hash: string][] = [
    ['proposal_created', created.body.proof, created.body.transaction.tx_hash],
    ['vote_cast', cast.body.proof, cast.body.transaction.tx_hash],
    ...(
      [
        ['proposal_endorsed', endorsed],
        ['vote_revoked', revoked],
        ['proposal_cancelled', cancelled],
      ] as const
    ).map(([kind, { body }]): [string, string, string] => {
      const { proof, hash } = body.data.transaction;
      return [kind, proof, hash];
    }),
  ];
  for (const [kind, proof, txHash] of answers) {
    const { status, body } = await api.get<{ data: { fact: string } }>(proof.replace('/api/v1', ''));
    expect({ status, body }).toMatchObject({ status: 200, body: { data: { txHash } } });
    expect(JSON.parse(body.data.fact)).toMatchObject({ kind });
  }
  expect(await api.get(proposalPath)).toMatchObject({ body: { data: { proof: created.body.proof } } });
});

test('a wallet that may not read a private vault gets 404 for its proposals, votes, stakes, events and proofs, as for ids that do not exist', async () => {
  const { vaultId, people } = await loggedInMembers(service, [60_000, 20_000]);
  const [alice, bob, stranger] = people;
  if (!alice || !bob || !stranger) throw new Error('a member is missing');
  const { api, sql } = service;
  const proposalId = await propose(service, vaultId, alice.address);
  const { vote_id: voteId } = (
    await api.post<VoteResponse>(`/proposals/${proposalId}/votes`, voteBody(bob.address, 5, 'yes'))
  ).body;
  const stakes = await sql.run<{ id: string }>`select id from stakes where vault_id = ${vaultId}`;
  await sql.run`update vaults set type = 'PRIVATE' where id = ${vaultId}`;

  const requests = [
    [proposalId, (id: string, as: object) => api.get(`/proposals/${id}`, as)],
    [proposalId, (id: string, as: object) => api.get(`/proposals/${id}/votes`, as)],
    [proposalId, (id: string, as: object) => api.get(`/proposals/${id}/cosigners`, as)],
    [proposalId, (id: string, as: object) => api.get(`/wallets/${bob.address}/voting-power?proposalId=${id}`, as)],
    [proposalId, (id: string, as: object) => api.get(`/events?proposalId=${id}&after=1`, as)],
    [proposalId, (id: string, as: object) => api.del(`/proposals/${id}`, undefined, as)],
    [proposalId, (id: string, as: object) => api.post(`/proposals/${id}/endorsements`, {}, as)],
    [
      proposalId,
      (id: string, as: object) => api.post(`/proposals/${id}/votes`, voteBody(stranger.address, 1, 'no'), as),
    ],
    [voteId, (id: string, as: object) => api.get(`/votes/${id}`, as)],
    [voteId, (id: string, as: object) => api.del(`/votes/${id}`, undefined, as)],
    [voteId, (id: string, as: object) => api.get(`/anchors/${id}/proof`, as)],
    [stakes[0]?.id ?? '', (id: string, as: object) => api.get(`/stakes/${id}`, as)],
    [stakes[0]?.id ?? '', (id: string, as: object) => api.del(`/stakes/${id}`, undefined, as)],
    [vaultId, (id: string, as: object) => api.get(`/vaults/${id}/proposals`, as)],
    [vaultId, (id: string, as: object) => api.get(`/vaults/${id}/stakes`, as)],
    [vaultId, (id: string, as: object) => api.get(`/vaults/${id}/quote?lovelace=5000000`, as)],
    [vaultId, (id: string, as: object) => api.get(`/vaults/${id}/investments`, as)],
    [vaultId, (id: string, as: object) => api.get(`/events?vaultId=${id}&after=1`, as)],
    [vaultId, (id: string, as: object) => api.get(`/events?vaultId=${id}&after=999999`, as)],
    [vaultId, (id: string, as: object) => api.post(`/vaults/${id}/proposals`, proposalBody(stranger.address), as)],
    [vaultId, (id: string, as: object) => api.post(`/vaults/${id}/stakes`, { amount: 1 }, as)],
  ] as const;
  const before = await governanceState(service);
  for (const [id, send] of requests) {
    const [hidden, absent] = [await send(id, stranger.session), await send(unknownId, stranger.session)];
    const { code, message } = (absent.body as ErrorBody).error;
    expect(absent.status).toBe(404);
    expect(hidden).toMatchObject({ status: 404, body: { error: { code, message } } });
  }
  expect(await governanceState(service)).toEqual(before);
  expect(await api.get(`/anchors/${voteId}/proof`, bob.session)).toMatchObject({ status: 200 });
});

test('a witness that a transaction of a private vault does not need is refused as for no transaction, a needed one is taken until a block has it', async () => {
  const { api, sql } = service;
  const stranger = (await loggedInMembers(service, [60_000])).people[1];
  if (!stranger) throw new Error('the stranger is missing');
  const { body } = await api.post<{ vault_id: string; transaction: { tx_hash: string } }>(
    '/vaults',
    vaultBody(newWallet().address),
  );
  const wallet = await service.fundedWallet();
  const invested = await api.post<{ data: { transaction: { hash: string; unsignedTx: string } } }>(
    `/vaults/${body.vault_id}/investments`,
    { walletAddress: wallet.address, lovelace: 5_000_000 },
  );
  const { hash, unsignedTx: unsigned } = invested.body.data.transaction;
  await sql.run`update vaults set type = 'PRIVATE' where id = ${body.vault_id}`;

  const post = (to: string, witnessSet: string) =>
    api.post<ErrorBody>(`/transactions/${to}/witnesses`, { witnessSet }, stranger.session);
  const genuine = wallet.sign(unsigned);
  const forged = genuine.slice(0, -8) + (genuine.endsWith('00000000') ? '11111111' : '00000000');
  const absent = await post('ab'.repeat(32), genuine);
  const unique = { timestamp: expect.anything(), correlationId: expect.anything() };
  for (const witnessSet of [newWallet().sign(unsigned), forged, 'a0'])
    expect((await post(hash, witnessSet)).body.error).toEqual({ ...absent.body.error, ...unique });
  expect((await post(body.transaction.tx_hash, genuine)).body.error.code).toBe('TRANSACTION_NOT_FOUND');
  expect(await post(hash, genuine)).toMatchObject({ status: 200 });
  expect(await post(hash, genuine)).toMatchObject({ status: 200 });

  // The ledger shows the signatures of what a block has: whoever sends them may be anybody.
  await sql.run`update chain_transactions set state = 'confirmed' where hash = ${hash}`;
  expect((await post(hash, genuine)).body.error).toEqual({ ...absent.body.error, ...unique });
  expect(await api.post(`/transactions/${hash}/witnesses`, { witnessSet: genuine })).toMatchObject({ status: 200 });
});
