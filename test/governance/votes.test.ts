import { expect, test } from '@jest/globals';
import { createProposalActivities } from '../../activities/proposals.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { createUnitOfWork, offsetClock } from '../../src/platform/database/unit-of-work.ts';
import { person } from '../vault-lifecycle/participants.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { holdLock } from '../stack/hold-locks.ts';
import { voteBody, lockedVault, proposalBody, propose } from './staked-vault.ts';
import { readStakeUsage } from './seed-stakes.ts';
import { errorResponse } from '../stack/error-response.ts';

interface VoteResponse {
  readonly vote_id: string;
  readonly transaction: { readonly tx_hash: string };
}
interface ProposalResponse {
  readonly data: {
    readonly status: string;
    readonly phase: string;
    readonly overdueSeconds: number;
    readonly votingPhase: { readonly endTime: string; readonly quorum: number };
    readonly votes: { readonly approve: number; readonly reject: number; readonly uniqueVoters: number };
    readonly own: unknown;
  };
}

const HOUR = 3600;

const activitiesOf = ({ db }: ApiService) => {
  const ids = createIds({ clock: wallClock, random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) });
  const unitOfWork = createUnitOfWork(db, offsetClock(wallClock), ids);
  return createProposalActivities({ db, unitOfWork, onTransition: () => undefined });
};

test('a wallet’s vote counts, is replaced by its next vote and can be revoked, and the used power matches after every step', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [60_000, 20_000, 0.5]);
  const [, bob = '', carol = ''] = voters;
  const proposalId = await propose(service, vaultId, proposer);
  const other = await propose(service, vaultId, proposer);
  const votes = `/proposals/${proposalId}/votes`;

  const first = await api.post<VoteResponse>(votes, voteBody(proposer, 50_000, 'yes'));
  expect(first).toMatchObject({
    status: 200,
    body: { vault_id: vaultId, proposal_id: proposalId, voter: proposer, vote: 'yes', staked_ft_amount: 50_000 },
  });
  expect(first.body.transaction.tx_hash).toMatch(/^[0-9a-f]{64}$/);
  expect(await api.post(`/proposals/${other}/votes`, voteBody(proposer, '30000.25', 'Reject'))).toMatchObject({
    body: { staked_ft_amount: 30_000.25, staked_ft_amount_base_units: '30000250000' },
  });
  expect((await readStakeUsage(sql, vaultId))[proposer]).toEqual({ status: 'LOCKED', used: 50_000 });

  const second = await api.post<VoteResponse>(votes, voteBody(proposer, 10_000, 'NO'));
  expect(await api.get(`/votes/${first.body.vote_id}`)).toMatchObject({ body: { data: { status: 'REVOKED' } } });
  expect((await readStakeUsage(sql, vaultId))[proposer]).toEqual({ status: 'LOCKED', used: 30_000.25 });
  expect(await api.get(`/proposals/${proposalId}`)).toMatchObject({
    body: { data: { votes: { approve: 0, reject: 10_000, uniqueVoters: 1 }, thresholds: { vote: { required: 30 } } } },
  });

  await api.post(votes, voteBody(bob, 5_000, 'yes'));
  expect(await api.get(`/proposals/${proposalId}`)).toMatchObject({
    body: {
      data: {
        eligiblePowerBaseUnits: '80000500000',
        thresholds: {
          creation: { required: 1, actual: 6 },
          start: { required: 5, actual: 6 },
          vote: { required: 30, actual: 18.74 },
          execution: { required: 51, actual: 33.33 },
        },
      },
    },
  });
  expect(await api.post(votes, voteBody(bob, 20_001, 'yes'))).toMatchObject(
    errorResponse(400, 'INSUFFICIENT_VOTING_POWER'),
  );
  expect(await api.post(votes, voteBody(person(299).address, 1, 'yes'))).toMatchObject(
    errorResponse(400, 'NOT_STAKED_AT_SNAPSHOT'),
  );
  expect(await api.post(votes, voteBody(carol, '0.0000001', 'yes'))).toMatchObject(
    errorResponse(400, 'INVALID_QUANTITY'),
  );
  expect(await api.post(votes, voteBody(carol, 0.5, 'maybe'))).toMatchObject(errorResponse(400, 'INVALID_REQUEST'));

  const path = `/votes/${second.body.vote_id}`;
  expect(await api.get(path)).toMatchObject({ body: { data: { decision: 'REJECT', amount: 10_000, status: 'CAST' } } });
  const proof = await api.get<{ data: { fact: string } }>(`/anchors/${second.body.vote_id}/proof`);
  expect(proof.status).toBe(200);
  expect(await api.del(path)).toMatchObject({ status: 200, body: { data: { status: 'REVOKED' } } });
  expect(await api.del(path)).toMatchObject(errorResponse(400, 'VOTE_ALREADY_REVOKED'));
  expect((await readStakeUsage(sql, vaultId))[proposer]).toEqual({ status: 'LOCKED', used: 30_000.25 });

  await Promise.all(Array.from({ length: 20 }, (_, round) => api.post(votes, voteBody(bob, round + 1, 'yes'))));
  const { body } = await api.get<ProposalResponse>(`/proposals/${proposalId}`);
  expect((await readStakeUsage(sql, vaultId))[bob]).toEqual({ status: 'LOCKED', used: body.data.votes.approve });
  expect(body.data.votes.uniqueVoters).toBe(1);
});

test('each of 200 votes around the deadline is counted once if it was accepted, and not at all if it was refused', async () => {
  await using service = await apiService();
  const { api } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [
    50_000,
    ...Array.from({ length: 200 }, (_, number) => number + 1),
  ]);
  const proposalId = await propose(service, vaultId, proposer);
  const { body } = await api.get<ProposalResponse>(`/proposals/${proposalId}`);
  const endsAt = Date.parse(body.data.votingPhase.endTime);
  await service.advance(Math.floor((endsAt - Date.now()) / 1000) - HOUR);

  const close = () => activitiesOf(service).closeVoting({ proposalId, now: instant(endsAt) });
  const vote = async (wallet: string, number: number) => {
    const answer = await api.post(`/proposals/${proposalId}/votes`, voteBody(wallet, number + 1, 'yes'));
    return { amount: number + 1, answer };
  };
  const votes: ReturnType<typeof vote>[] = [];
  const castTen = () => {
    const first = votes.length;
    votes.push(...voters.slice(first + 1, first + 11).map((wallet, place) => vote(wallet, first + place)));
  };
  /** Casts votes in groups of ten; each group starts at the first answer to the previous one. */
  const castUpTo = async (count: number) => {
    while (votes.length < count) {
      castTen();
      await Promise.race(votes.slice(-10));
    }
  };

  await castUpTo(90);
  const closed = await (async () => {
    // The deadline passes while one of these votes is being written.
    const held = 'select 1 from stakes where vault_id = $1 and wallet = $2 for update';
    await using stake = await holdLock(service, held, [vaultId, voters[95] ?? '']);
    castTen();
    await stake.reached();
    const closing = close();
    await service.advance(2 * HOUR);
    return { closing };
  })();
  await castUpTo(190);
  await closed.closing;
  castTen();
  const answered = await Promise.all(votes);

  const counted = answered.filter(({ answer }) => answer.status === 200);
  for (const { answer } of answered.filter((one) => !counted.includes(one))) {
    expect(answer).toMatchObject(errorResponse(400, 'VOTING_CLOSED'));
  }
  expect(counted.length).toBeGreaterThan(0);
  expect(counted.length).toBeLessThan(200);
  expect((await api.get<ProposalResponse>(`/proposals/${proposalId}`)).body.data).toMatchObject({
    status: 'FAILED',
    failureReason: 'quorum_not_reached',
    votes: { approve: counted.reduce((sum, { amount }) => sum + amount, 0), uniqueVoters: counted.length },
  });
});

test('a proposal is shown with its status at the current time, even if no worker has updated it', async () => {
  await using service = await apiService();
  const { api } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [100_000, 1]);
  const proposalId = await propose(service, vaultId, proposer);
  await api.post(`/proposals/${proposalId}/votes`, voteBody(proposer, 100_000, 'approve'));
  const read = async () => (await api.get<ProposalResponse>(`/proposals/${proposalId}`)).body.data;
  const DAY = 24 * HOUR;

  expect(await read()).toMatchObject({ status: 'ACTIVE', phase: 'voting', overdueSeconds: 0 });
  await service.advance(3 * DAY + 60);
  expect(await read()).toMatchObject({ status: 'PASSED', phase: 'lock', votingPhase: { status: 'COMPLETED' } });
  expect((await read()).overdueSeconds).toBeGreaterThanOrEqual(60);
  expect(await api.post(`/proposals/${proposalId}/votes`, voteBody(voters[1] ?? '', 1, 'no'))).toMatchObject(
    errorResponse(400, 'VOTING_CLOSED'),
  );
  await service.advance(DAY);
  expect(await read()).toMatchObject({ status: 'PASSED', phase: 'execution' });
  await service.advance(2 * DAY);
  expect(await read()).toMatchObject({ status: 'FAILED', failureReason: 'execution_window_elapsed' });
});

test('a proposal that may not be created is refused with the code of its reason', async () => {
  await using service = await apiService();
  const { api } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [60_000, 1]);
  const path = `/vaults/${vaultId}/proposals`;
  const body = proposalBody(proposer);
  const details = body.proposal_details;
  const foreign = [{ policy_id: 'ab'.repeat(28), asset_name: 'Moon' }];

  expect(await api.post(path, proposalBody(voters[1] ?? ''))).toMatchObject(
    errorResponse(400, 'CREATION_THRESHOLD_NOT_MET'),
  );
  expect(
    await api.post(path, { ...body, governance_thresholds: { ...body.governance_thresholds, vote_threshold: 10 } }),
  ).toMatchObject(errorResponse(400, 'THRESHOLD_BELOW_VAULT'));
  expect(
    await api.post(path, {
      ...body,
      proposal_details: { ...details, action_type: 'sell_asset', affected_assets: foreign },
    }),
  ).toMatchObject(errorResponse(400, 'ASSET_NOT_IN_VAULT'));
  expect(await api.post(path, { ...body, proposal_details: { ...details, terms: { price: 5 } } })).toMatchObject(
    errorResponse(400, 'INVALID_REQUEST'),
  );
  expect(await api.post(path, { ...body, phases: { lock_duration: '72h' } })).toMatchObject(
    errorResponse(400, 'INVALID_REQUEST'),
  );
  await service.sql.run`update vaults set status = 'ACTIVE' where id = ${vaultId}`;
  expect(await api.post(path, body)).toMatchObject(errorResponse(400, 'VAULT_NOT_LOCKED'));
  // A detail and a member of problem details have the same name.
  const asProblem = { headers: { accept: 'application/problem+json' } };
  expect(await api.post(path, body, asProblem)).toMatchObject({ body: { status: 400, details: { status: 'ACTIVE' } } });
  expect(await api.get(`${path}?limit=5`)).toMatchObject({ status: 200, body: { data: { proposals: [] } } });
});
