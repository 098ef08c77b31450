import { expect, test } from '@jest/globals';
import { apiService, type ApiService } from '../vault/api-service.ts';
import { ballot, lockedVault, propose } from './locked-vault.ts';
import { usedStakes } from './seeded-stakes.ts';

interface Recorded {
  readonly vote_id: string;
}
interface Live {
  readonly proposal: string;
  readonly wallet: string;
  readonly decision: string;
  readonly tokens: number;
}

async function liveVotes({ sql }: ApiService, proposalIds: readonly string[]): Promise<Live[]> {
  const { rows } = await sql.query<Live>(
    `select proposal_id as proposal, wallet, decision, (amount / 1000000)::int as tokens from votes
      where proposal_id = any($1) and status <> 'REVOKED'`,
    [proposalIds],
  );
  return rows;
}

const sum = (votes: readonly Live[]) => votes.reduce((total, { tokens }) => total + tokens, 0);

test('votes that are changed and taken back at the same moment, on two proposals, never use or count anything but what stands', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [60_000, 20_000, 20_000]);
  const proposals = [await propose(service, vaultId, proposer), await propose(service, vaultId, proposer)];
  const known = new Map<string, string>();
  let tokens = 0;

  /** Three changes of a wallet's vote, and two attempts to take back the one it knows of. */
  const upheaval = async (proposalId: string, wallet: string) => {
    const key = `${proposalId} ${wallet}`;
    const changing = ['yes', 'no', 'yes'].map((word) => {
      tokens += 1;
      return api.post<Recorded>(`/proposals/${proposalId}/votes`, ballot(wallet, tokens, word));
    });
    const last = known.get(key);
    const revoking = last === undefined ? [] : [1, 2].map(() => api.del(`/votes/${last}`));
    const [changed, revoked] = await Promise.all([Promise.all(changing), Promise.all(revoking)]);
    for (const { status, body } of changed) {
      expect(status).toBe(200);
      known.set(key, body.vote_id);
    }
    expect(revoked.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    for (const refused of revoked.filter(({ status }) => status !== 200)) {
      expect(refused).toMatchObject({ status: 400, body: { error: { code: 'VOTE_ALREADY_REVOKED' } } });
    }
    return revoked.some(({ status }) => status === 200);
  };

  const takenBack: boolean[] = [];
  for (let round = 0; round < 8; round += 1) {
    takenBack.push(...(await Promise.all(proposals.flatMap((id) => voters.map((wallet) => upheaval(id, wallet))))));
    const live = await liveVotes(service, proposals);
    expect(new Set(live.map(({ proposal, wallet }) => `${proposal} ${wallet}`)).size).toBe(live.length);
    const used = await usedStakes(sql, vaultId);
    for (const wallet of voters) {
      const most = Math.max(0, ...live.filter((vote) => vote.wallet === wallet).map((vote) => vote.tokens));
      expect(used[wallet]).toEqual({ status: most === 0 ? 'ACTIVE' : 'LOCKED', used: most });
    }
    for (const id of proposals) {
      const votes = live.filter(({ proposal }) => proposal === id);
      const [approve, reject] = ['APPROVE', 'REJECT'].map((word) =>
        sum(votes.filter(({ decision }) => decision === word)),
      );
      expect(await api.get(`/proposals/${id}`)).toMatchObject({
        body: { data: { votes: { approve, reject, uniqueVoters: votes.length } } },
      });
    }
  }
  expect(takenBack).toContain(true);
}, 60_000);
