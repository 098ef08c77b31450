import { blake2b } from '@noble/hashes/blake2.js';
import { expect, test } from '@jest/globals';
import { type SignOptions, signingWallet } from '../http/signing-wallet.ts';
import { apiService } from '../vaults/api-service.ts';
import { voteBody, lockedVault, propose } from './staked-vault.ts';
import { errorResponse } from '../stack/error-response.ts';

interface VoteResponse {
  readonly vote_id: string;
}
interface ProofResponse {
  readonly data: { readonly fact: string; readonly leaf: string };
}

const wallets = Array.from({ length: 3 }, () => signingWallet());
const walletOf = (number: number) => wallets[number]?.address ?? '';
const signedText = (proposalId: string, decision: string, amount: string, nonce: string) =>
  `vote:${proposalId}:${decision}:${amount}:${nonce}`;

async function openVote() {
  const service = await apiService();
  const { vaultId, proposer } = await lockedVault(service, [60_000, 20_000, 1], walletOf);
  const proposalId = await propose(service, vaultId, proposer);
  return { service, api: service.api, vaultId, proposer, proposalId, votes: `/proposals/${proposalId}/votes` };
}

test('the signature of a signed vote is in its anchored leaf and readable from the vote and from the proof', async () => {
  const { service, api, vaultId, proposer, proposalId, votes } = await openVote();
  await using _ = service;
  const message = signedText(proposalId, 'APPROVE', '50000250000', 'n-1');
  const signed = { nonce: 'n-1', ...wallets[0]!.signData(proposer, message) };

  const cast = await api.post<VoteResponse>(votes, { ...voteBody(proposer, '50000.25', 'yes'), ...signed });
  expect(cast).toMatchObject({ status: 200, body: { status: 'vote_recorded' } });
  const voteId = cast.body.vote_id;
  expect(await api.get(`/votes/${voteId}`)).toMatchObject({ body: { data: { signed: { message, ...signed } } } });
  const { fact, leaf } = (await api.get<ProofResponse>(`/anchors/${voteId}/proof`)).body.data;
  expect(JSON.parse(fact)).toMatchObject({ kind: 'vote_cast', voteId, vaultId, decision: 'APPROVE', ...signed });
  const hashed = blake2b(Buffer.concat([Buffer.from([0]), Buffer.from(fact)]), { dkLen: 32 });
  expect(leaf).toBe(Buffer.from(hashed).toString('hex'));

  const unsigned = await api.post<VoteResponse>(votes, voteBody(walletOf(1), 7, 'no'));
  expect((await api.get<{ data: object }>(`/votes/${unsigned.body.vote_id}`)).body.data).toHaveProperty('signed', null);
  const plain = (await api.get<ProofResponse>(`/anchors/${unsigned.body.vote_id}/proof`)).body.data.fact;
  expect(Object.keys(JSON.parse(plain) as object)).not.toContain('nonce');
});

test('a vote whose signature is not by its own wallet over exactly this vote is refused with INVALID_SIGNATURE', async () => {
  const { service, api, proposer, proposalId, votes } = await openVote();
  await using _ = service;
  const [wallet, stranger] = [wallets[0]!, wallets[2]!];
  const right = { proposalId, decision: 'APPROVE', amount: '5000000', nonce: 'n' };
  const body = (change: Partial<typeof right>, options: SignOptions = {}) => {
    const { proposalId: id, decision, amount, nonce } = { ...right, ...change };
    const data = wallet.signData(options.header ?? proposer, signedText(id, decision, amount, nonce), options);
    return { ...voteBody(proposer, 5, 'yes'), nonce: right.nonce, ...data };
  };
  const wrong = {
    'another proposal': body({ proposalId: crypto.randomUUID() }),
    'another decision': body({ decision: 'REJECT' }),
    'the word instead of the decision': body({ decision: 'yes' }),
    'another amount': body({ amount: '5000001' }),
    'whole tokens': body({ amount: '5' }),
    'another nonce': body({ nonce: 'm' }),
    'another wallet’s key': body({}, { with: stranger.payment }),
    'the stake key': body({}, { with: wallet.stake }),
    'another address of the same key': body({}, { header: wallet.enterprise }),
    'another key beside the signature': { ...body({}), key: stranger.signData(stranger.address, 'x').key },
    'no CBOR': { ...body({}), signature: 'zz' },
    'a changed bit': { ...body({}), signature: body({}).signature.replace(/.$/, (last) => (last === '0' ? '1' : '0')) },
  };
  for (const [what, vote] of Object.entries(wrong)) {
    const answer = await api.post(votes, vote);
    expect({ what, ...answer }).toMatchObject({
      what,
      ...errorResponse(400, 'INVALID_SIGNATURE'),
      body: { error: { message: 'Invalid signature', details: { errors: [{ field: 'signature' }] } } },
    });
  }
  for (const field of ['nonce', 'signature', 'key'] as const) {
    const { [field]: _left, ...rest } = body({});
    expect(await api.post(votes, rest)).toMatchObject({
      ...errorResponse(400, 'INVALID_REQUEST'),
      body: { error: { details: { errors: [{ code: 'REQUIRED', field }] } } },
    });
  }
  expect(await api.post(votes, { ...body({}), nonce: 'two words' })).toMatchObject(
    errorResponse(400, 'INVALID_REQUEST'),
  );
  expect(await api.get(`/proposals/${proposalId}`)).toMatchObject({ body: { data: { votes: { uniqueVoters: 0 } } } });

  expect(await api.post(votes, body({}, { hashed: true }))).toMatchObject({ status: 200 });
});

test('a wallet’s signed vote cannot be cast a second time, not even in the same batch', async () => {
  const { service, api, vaultId, proposer, proposalId, votes } = await openVote();
  await using _ = service;
  const signed = (voter: number, decision: 'APPROVE' | 'REJECT', tokens: number, nonce: string, id = proposalId) => {
    const wallet = wallets[voter]!;
    const message = signedText(id, decision, `${tokens}000000`, nonce);
    return { ...voteBody(wallet.address, tokens, decision), nonce, ...wallet.signData(wallet.address, message) };
  };
  const first = await api.post<VoteResponse>(votes, signed(0, 'APPROVE', 10, 'first'));
  const replay = {
    ...errorResponse(400, 'VOTE_NONCE_USED'),
    body: { error: { details: { voteId: first.body.vote_id } } },
  };

  expect(await api.post(votes, signed(0, 'REJECT', 20, 'second'))).toMatchObject({ status: 200 });
  expect(await api.post(votes, signed(0, 'APPROVE', 10, 'first'))).toMatchObject(replay);
  expect(await api.post(votes, signed(0, 'REJECT', 11, 'first'))).toMatchObject(replay);
  const [live] = (await api.get<{ data: { votes: { id: string }[] } }>(`${votes}?status=cast`)).body.data.votes;
  expect(await api.del(`/votes/${live?.id ?? ''}`)).toMatchObject({ status: 200 });
  expect(await api.post(votes, signed(0, 'APPROVE', 10, 'first'))).toMatchObject(replay);

  const simultaneous = await Promise.all([
    ...Array.from({ length: 8 }, () => api.post(votes, signed(1, 'APPROVE', 3, 'once'))),
    api.post(votes, signed(2, 'REJECT', 1, 'once')),
  ]);
  expect(simultaneous.filter(({ status }) => status === 200)).toHaveLength(2);
  expect(simultaneous.at(-1)).toMatchObject({ status: 200 });
  expect(simultaneous.slice(0, 8).filter(({ status }) => status === 400)).toHaveLength(7);

  const other = await propose(service, vaultId, proposer);
  const elsewhere = await api.post(`/proposals/${other}/votes`, signed(1, 'APPROVE', 3, 'once', other));
  expect(elsewhere).toMatchObject({ status: 200 });
  const keyed = { headers: { 'idempotency-key': 'once-more' } };
  const [asked, again] = [
    await api.post(votes, signed(1, 'REJECT', 4, 'keyed'), keyed),
    await api.post(votes, signed(1, 'REJECT', 4, 'keyed'), keyed),
  ];
  expect(asked).toMatchObject({ status: 200 });
  expect(again.body).toEqual(asked.body);
});
