import { expect, test } from '@jest/globals';
import { createProposalActivities } from '../../activities/proposals.ts';
import { wallClock, instant, secondsAfter } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { createUnitOfWork, offsetClock } from '../../src/platform/database/unit-of-work.ts';
import { until } from '../stack/until.ts';
import { apiService, type ApiService } from '../vaults/api-service.ts';
import { holdLock } from '../stack/hold-locks.ts';
import { voteBody, lockedVault, propose } from './staked-vault.ts';
import { readStakeUsage } from './seed-stakes.ts';
import { errorResponse } from '../stack/error-response.ts';

interface VoteResponse {
  readonly vote_id: string;
}
interface LiveVote {
  readonly proposal: string;
  readonly wallet: string;
  readonly decision: string;
  readonly tokens: number;
}

async function liveVotes({ sql }: ApiService, proposalIds: readonly string[]): Promise<LiveVote[]> {
  const rows = await sql.run<LiveVote>`select proposal_id as proposal, wallet, decision,
      (amount / 1000000)::int as tokens from votes
      where proposal_id = any(${proposalIds}) and status <> 'REVOKED'`;
  return rows;
}

const sum = (votes: readonly LiveVote[]) => votes.reduce((total, { tokens }) => total + tokens, 0);

/** The activities with which a worker closes voting. */
function worker({ db }: ApiService) {
  const ids = createIds({ clock: wallClock, random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) });
  const unitOfWork = createUnitOfWork(db, offsetClock(wallClock), ids);
  return createProposalActivities({ db, unitOfWork, onTransition: () => undefined });
}

async function votingEnd({ api }: ApiService, id: string) {
  const { body } = await api.get<{ data: { votingPhase: { endTime: string } } }>(`/proposals/${id}`);
  return instant(new Date(body.data.votingPhase.endTime));
}

test('a vote that is being written when voting ends is counted, because closing waits for it', async () => {
  await using service = await apiService();
  const { vaultId, proposer } = await lockedVault(service, [100_000]);
  const id = await propose(service, vaultId, proposer);
  const proposalId = id;
  const now = await votingEnd(service, id);
  const closing = await (async () => {
    await using anchorChains = await holdLock(service, 'select 1 from anchor_chains for update');
    const voting = service.api.post(`/proposals/${id}/votes`, voteBody(proposer, 100_000, 'yes'));
    await anchorChains.reached();
    const closed = worker(service).closeVoting({ proposalId, now });
    await waitUntilLockBlocks(service);
    return { voting, closed };
  })();
  expect(await closing.voting).toMatchObject({ status: 200 });
  expect(await closing.closed).toMatchObject({ stage: 'passed' });
  expect(await service.api.get(`/proposals/${id}`)).toMatchObject({
    body: { data: { status: 'PASSED', votes: { approve: 100_000, uniqueVoters: 1 } } },
  });
});

test('nobody who reaches Temporal closes a vote before it ends, or has its stakes released', async () => {
  await using service = await apiService();
  const { vaultId, proposer } = await lockedVault(service, [100_000]);
  const proposalId = await propose(service, vaultId, proposer);
  await service.api.post(`/proposals/${proposalId}/votes`, voteBody(proposer, 15_000, 'yes'));
  const now = secondsAfter(await votingEnd(service, proposalId), -1);

  await expect(worker(service).closeVoting({ proposalId, now })).rejects.toThrow('is not due');
  await worker(service).releaseStakes({ proposalId, now });
  expect(await service.api.get(`/proposals/${proposalId}`)).toMatchObject({ body: { data: { status: 'ACTIVE' } } });
  expect((await readStakeUsage(service.sql, vaultId))[proposer]).toEqual({ status: 'LOCKED', used: 15_000 });
});

test('a vote that arrives while a worker is frozen in the close of its proposal waits, alone, and is refused with VOTING_CLOSED', async () => {
  await using service = await apiService();
  const { vaultId, voters, proposer } = await lockedVault(service, [100_000, 30_000]);
  const id = await propose(service, vaultId, proposer);
  const other = await propose(service, vaultId, proposer);
  expect(await service.api.post(`/proposals/${id}/votes`, voteBody(proposer, 100_000, 'yes'))).toMatchObject({
    status: 200,
  });
  // The workflow's clock is ahead of the api's.
  const now = await votingEnd(service, id);
  const late = await (async () => {
    await using row = await holdLock(service, 'select 1 from proposals where id = $1 for update', [id]);
    const closed = worker(service).closeVoting({ proposalId: id, now });
    await row.reached();
    const vote = service.api.post(`/proposals/${id}/votes`, voteBody(voters[1] ?? '', 30_000, 'no'));
    const cancelled = service.api.del(`/proposals/${id}`);
    for (const decision of ['no', 'yes'])
      expect(
        await service.api.post(`/proposals/${other}/votes`, voteBody(voters[1] ?? '', 30_000, decision)),
      ).toMatchObject({ status: 200 });
    expect(await Promise.race([vote, cancelled, Promise.resolve('both wait')])).toBe('both wait');
    return { vote, closed, cancelled };
  })();
  expect(await late.closed).toMatchObject({ stage: 'passed' });
  expect(await late.vote).toMatchObject(errorResponse(400, 'VOTING_CLOSED'));
  await late.cancelled;
  expect(await service.api.get(`/proposals/${id}`)).toMatchObject({
    body: { data: { votes: { approve: 100_000, reject: 0 } } },
  });

  // Votes that arrive together: one is on a proposal that cannot be read.
  await service.sql.run`update proposals set thresholds = '{}' where id = ${id}`;
  const together = [id, other].map((proposal) =>
    service.api.post(`/proposals/${proposal}/votes`, voteBody(voters[1] ?? '', 20_000, 'yes')),
  );
  expect((await Promise.all(together)).map(({ status }) => status)).toEqual([500, 200]);
});

test('votes whose stakes a frozen process holds are left for a later batch, and each of all votes counts exactly once', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [100_000, 30_000, 20_000]);
  const [, held = '', free = ''] = voters;
  const [id, other] = [await propose(service, vaultId, proposer), await propose(service, vaultId, proposer)];
  const vote = (proposalId: string, wallet: string, decision: string, headers = {}) =>
    api.post(`/proposals/${proposalId}/votes`, voteBody(wallet, 20_000, decision), { headers });
  const waiting = await (async () => {
    await using stake = await holdLock(service, 'select 1 from stakes where vault_id = $1 and wallet = $2 for update', [
      vaultId,
      held,
    ]);
    // One with its batch, and one that is a writer of its own in it.
    const late = [vote(id, held, 'yes'), vote(other, held, 'no', { 'Idempotency-Key': 'held' })];
    await stake.reached();
    for (const decision of ['yes', 'no', 'yes']) expect(await vote(id, free, decision)).toMatchObject({ status: 200 });
    expect(await vote(other, free, 'yes', { 'Idempotency-Key': 'free' })).toMatchObject({ status: 200 });
    expect(await Promise.race([...late, Promise.resolve('both wait')])).toBe('both wait');
    expect(await liveVotes(service, [id, other])).toHaveLength(2);
    return late;
  })();
  for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ status: 200 });
  const live = await liveVotes(service, [id, other]);
  expect(live.map(({ wallet, proposal, decision }) => [wallet, proposal, decision].join()).sort()).toEqual(
    [
      [held, id, 'APPROVE'],
      [held, other, 'REJECT'],
      [free, id, 'APPROVE'],
      [free, other, 'APPROVE'],
    ]
      .map(String)
      .sort(),
  );
  for (const [proposalId, votes] of [
    [id, { approve: 40_000, reject: 0 }] as const,
    [other, { approve: 20_000, reject: 20_000 }] as const,
  ])
    expect(await api.get(`/proposals/${proposalId}`)).toMatchObject({
      body: { data: { votes: { ...votes, uniqueVoters: 2 } } },
    });
  expect(await readStakeUsage(sql, vaultId)).toMatchObject({ [held]: { used: 20_000 }, [free]: { used: 20_000 } });
});

/** Waits until a session waits for the lock of a proposal. */
function waitUntilLockBlocks({ sql }: ApiService): Promise<true> {
  const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  const isWaiting = async () => (await sql.query(waiting)).rows.length > 0 || null;
  return until(isWaiting, { what: 'a session to wait for the lock' });
}

test('votes changed and revoked at the same moment through two apis on two proposals count and use exactly the live votes', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [60_000, 20_000, 20_000]);
  const proposals = [await propose(service, vaultId, proposer), await propose(service, vaultId, proposer)];
  const other = await service.secondApi();
  const apis = [api, other];
  const lastVoteIds = new Map<string, string>();
  let tokens = 0;

  /** Sends three changes of a wallet's vote at once, optionally with two attempts to revoke the vote it last knew of, before or after them. */
  const changeAndRevoke = async (proposalId: string, wallet: string, revokes: 'first' | 'last' | 'never') => {
    const key = `${proposalId} ${wallet}`;
    const last = lastVoteIds.get(key);
    const revoke = (when: typeof revokes) =>
      last === undefined || revokes !== when ? [] : apis.map((one) => one.del(`/votes/${last}`));
    const revokingFirst = revoke('first');
    const changing = ['yes', 'no', 'yes'].map((choice) => {
      tokens += 1;
      return apis[tokens % 2]!.post<VoteResponse>(`/proposals/${proposalId}/votes`, voteBody(wallet, tokens, choice));
    });
    const revoking = [...revokingFirst, ...revoke('last')];
    const [changed, revoked] = await Promise.all([Promise.all(changing), Promise.all(revoking)]);
    for (const { status, body } of changed) {
      expect(status).toBe(200);
      lastVoteIds.set(key, body.vote_id);
    }
    expect(revoked.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    for (const refused of revoked.filter(({ status }) => status !== 200)) {
      expect(refused).toMatchObject(errorResponse(400, 'VOTE_ALREADY_REVOKED'));
    }
    return revoked.some(({ status }) => status === 200);
  };

  const revocations: boolean[] = [];
  for (let round = 0; round < 6; round += 1) {
    const changes = proposals.flatMap((id, number) => {
      return voters.map((wallet, place) =>
        changeAndRevoke(id, wallet, (['first', 'last', 'never'] as const)[(round + number + place) % 3]!),
      );
    });
    revocations.push(...(await Promise.all(changes)));
    const live = await liveVotes(service, proposals);
    expect(new Set(live.map(({ proposal, wallet }) => `${proposal} ${wallet}`)).size).toBe(live.length);
    const used = await readStakeUsage(sql, vaultId);
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
  expect(revocations).toContain(true);
  expect(await countDeadlocks(service)).toBe(0);
});

test('votes cast and revoked in opposite order by two apis wait for each other without a deadlock', async () => {
  await using service = await apiService();
  const { api } = service;
  const tokens = Array.from({ length: 12 }, (_, place) => (place === 0 ? 60_000 : 10_000));
  const { vaultId, voters, proposer } = await lockedVault(service, tokens);
  const proposals = [await propose(service, vaultId, proposer), await propose(service, vaultId, proposer)];
  const clients = [api, await service.secondApi()];
  const vote = (place: number, wallet: string, headers = {}) =>
    clients[place]!.post<VoteResponse>(`/proposals/${proposals[place]}/votes`, voteBody(wallet, 10_000, 'yes'), {
      headers,
    });

  for (let round = 0; round < 3; round += 1) {
    const cast = await Promise.all(clients.map((_, place) => Promise.all(voters.map((wallet) => vote(place, wallet)))));
    const changes = cast.flatMap((votes, place) => {
      const inOrder = [...votes.entries()].map(([number, { body }]) => ({ number, voteId: body.vote_id }));
      const ordered = place === 0 ? inOrder : inOrder.toReversed();
      return ordered.map(({ number, voteId }) =>
        number % 3 === 0
          ? vote(place, voters[number] ?? '', { 'Idempotency-Key': voteId })
          : clients[place]!.del(`/votes/${voteId}`),
      );
    });
    for (const { status } of await Promise.all(changes)) expect(status).toBe(200);
  }
  expect(await countDeadlocks(service)).toBe(0);
});

/** Number of deadlocks that Postgres has detected in this database. */
async function countDeadlocks({ sql }: ApiService): Promise<number> {
  // A session reports its counters at once when it ends, otherwise up to seconds later.
  await sql.run`select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
  const rows = await sql.run<{ deadlocks: number }>`select deadlocks::int from pg_stat_database
      where datname = current_database()`;
  return rows[0]?.deadlocks ?? -1;
}
