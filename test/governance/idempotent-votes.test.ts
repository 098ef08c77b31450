import { expect, test } from '@jest/globals';
import { apiService } from '../vaults/api-service.ts';
import { ballot, lockedVault, propose, refusal } from './staked-vault.ts';
import { usedStakes } from './seed-stakes.ts';

interface Recorded {
  readonly vote_id: string;
}

test('votes under idempotency keys that arrive together, twins and refused ones among them, are each cast once', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [60_000, ...Array<number>(40).fill(5)]);
  const proposalId = await propose(service, vaultId, proposer);
  const cast = (wallet: string, tokens: number, key: string) =>
    api.post<Recorded>(`/proposals/${proposalId}/votes`, ballot(wallet, tokens, 'yes'), {
      headers: { 'idempotency-key': key },
    });
  const many = voters.slice(1);

  const twins = await Promise.all(
    many.map(async (wallet, place) => {
      const key = `vote-${place}`;
      return { wallet, key, answers: await Promise.all([cast(wallet, 5, key), cast(wallet, 5, key)]) };
    }),
  );
  for (const { answers } of twins) {
    const [one, other] = answers;
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(one.body).toEqual(other.body);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(1);
  }
  const { rows } = await sql.query('select id from votes where proposal_id = $1 order by id', [proposalId]);
  expect(rows.map(({ id }) => id as string)).toEqual(twins.map(({ answers }) => answers[0].body.vote_id).sort());

  const mixed = await Promise.all([
    ...twins.slice(0, 10).map(({ wallet, key }) => cast(wallet, 4, key)),
    ...many.slice(10, 20).map((wallet, place) => cast(wallet, 6, `more-${place}`)),
    ...many.slice(20, 30).map((wallet, place) => cast(wallet, 3, `less-${place}`)),
  ]);
  for (const answer of mixed.slice(0, 10)) expect(answer).toMatchObject(refusal(422, 'IDEMPOTENCY_KEY_REUSED'));
  for (const answer of mixed.slice(10, 20)) expect(answer).toMatchObject(refusal(400, 'INSUFFICIENT_VOTING_POWER'));
  for (const answer of mixed.slice(20)) expect(answer).toMatchObject({ status: 200 });

  // A refusal leaves its key to whoever mends the request.
  expect(await cast(many[10] ?? '', 2, 'more-0')).toMatchObject({ status: 200 });
  const tally = { approve: 29 * 5 + 10 * 3 + 2, uniqueVoters: 40 };
  expect(await api.get(`/proposals/${proposalId}`)).toMatchObject({ body: { data: { votes: tally } } });
  expect(Object.values(await usedStakes(sql, vaultId)).reduce((sum, { used }) => sum + used, 0)).toBe(tally.approve);
});
