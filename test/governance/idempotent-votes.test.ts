import { expect, test } from '@jest/globals';
import { apiService } from '../vaults/api-service.ts';
import { voteBody, lockedVault, propose } from './staked-vault.ts';
import { readStakeUsage } from './seed-stakes.ts';
import { errorResponse } from '../stack/error-response.ts';

interface VoteResponse {
  readonly vote_id: string;
}

test('simultaneous votes with idempotency keys, duplicates and refused ones among them, are each cast at most once', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [60_000, ...Array<number>(40).fill(5)]);
  const proposalId = await propose(service, vaultId, proposer);
  const cast = (wallet: string, tokens: number, key: string) =>
    api.post<VoteResponse>(`/proposals/${proposalId}/votes`, voteBody(wallet, tokens, 'yes'), {
      headers: { 'idempotency-key': key },
    });
  const many = voters.slice(1);

  const duplicates = await Promise.all(
    many.map(async (wallet, place) => {
      const key = `vote-${place}`;
      return { wallet, key, answers: await Promise.all([cast(wallet, 5, key), cast(wallet, 5, key)]) };
    }),
  );
  for (const { answers } of duplicates) {
    const [first, second] = answers;
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.body).toEqual(second.body);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(1);
  }
  const rows = await sql.run`select id from votes where proposal_id = ${proposalId} order by id`;
  expect(rows.map(({ id }) => id as string)).toEqual(duplicates.map(({ answers }) => answers[0].body.vote_id).sort());

  const mixed = await Promise.all([
    ...duplicates.slice(0, 10).map(({ wallet, key }) => cast(wallet, 4, key)),
    ...many.slice(10, 20).map((wallet, place) => cast(wallet, 6, `more-${place}`)),
    ...many.slice(20, 30).map((wallet, place) => cast(wallet, 3, `less-${place}`)),
  ]);
  for (const answer of mixed.slice(0, 10)) expect(answer).toMatchObject(errorResponse(422, 'IDEMPOTENCY_KEY_REUSED'));
  for (const answer of mixed.slice(10, 20))
    expect(answer).toMatchObject(errorResponse(400, 'INSUFFICIENT_VOTING_POWER'));
  for (const answer of mixed.slice(20)) expect(answer).toMatchObject({ status: 200 });

  // A refused request does not use up its key: the corrected request may use it again.
  expect(await cast(many[10] ?? '', 2, 'more-0')).toMatchObject({ status: 200 });
  const tally = { approve: 29 * 5 + 10 * 3 + 2, uniqueVoters: 40 };
  expect(await api.get(`/proposals/${proposalId}`)).toMatchObject({ body: { data: { votes: tally } } });
  expect(Object.values(await readStakeUsage(sql, vaultId)).reduce((sum, { used }) => sum + used, 0)).toBe(
    tally.approve,
  );
});
