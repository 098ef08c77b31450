import { randomUUID } from 'node:crypto';
import type { Context } from '@temporalio/activity';
import { expect, test } from '@jest/globals';
import { createProposalActivities } from '../../activities/proposals.ts';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { createUnitOfWork, offsetClock } from '../../src/platform/database/unit-of-work.ts';
import { reportUnreadableRows } from '../../worker/unreadable-rows.ts';
import { endProposals } from '../../src/termination/advance-termination.ts';
import { apiService } from '../vaults/api-service.ts';
import { recordTransaction } from './record-transaction.ts';
import { readStakeUsage } from './seed-stakes.ts';
import { lockedVault, propose, voteBody } from './staked-vault.ts';

const HOUR = 3600;

test('a proposal that cannot be read holds up the close of those that conflict over its assets, and of no other of its vault', async () => {
  await using service = await apiService();
  const { api, sql, db } = service;
  const { vaultId, proposer } = await lockedVault(service, [100_000]);
  const [villa, boat, barn] = [randomUUID(), randomUUID(), randomUUID()];
  /** A proposal that its votes let pass, over these assets. */
  const over = async (assetIds: readonly string[]) => {
    const id = await propose(service, vaultId, proposer);
    expect(await api.post(`/proposals/${id}/votes`, voteBody(proposer, 100_000, 'yes'))).toMatchObject({ status: 200 });
    await sql.run`update proposals set asset_ids = ${assetIds} where id = ${id}`;
    return id;
  };
  const damaged = await over([villa]);
  const rival = await over([villa, boat]);
  const rivalOfRival = await over([boat]);
  const other = await over([barn]);
  const rows = await sql.run<{ thresholds: object }>`select thresholds from proposals where id = ${damaged}`;
  const writeThresholds = (thresholds: object | undefined) =>
    sql.query('update proposals set thresholds = $2 where id = $1', [damaged, JSON.stringify(thresholds)]);
  await writeThresholds({});
  await service.advance(73 * HOUR);

  const reported: unknown[] = [];
  const activity: unknown = {};
  const unitOfWork = createUnitOfWork(db, offsetClock(wallClock), { next: randomUUID });
  const activities = createProposalActivities({ db, unitOfWork, onTransition: () => undefined });
  const { execute } =
    reportUnreadableRows({ onUnreadable: ({ id }) => reported.push(id) })(activity as Context).inbound ?? {};
  const close = async (proposalId: string): Promise<unknown> => {
    const { data } = (await api.get<{ data: { votingPhase: { endTime: string } } }>(`/proposals/${other}`)).body;
    const now = instant(new Date(data.votingPhase.endTime));
    return execute?.({ args: [], headers: {} }, () => activities.closeVoting({ proposalId, now }));
  };
  expect(await close(other)).toMatchObject({ stage: 'passed' });
  expect(await api.get(`/proposals/${other}`)).toMatchObject({
    body: { data: { status: 'PASSED', votes: { approve: 100_000, uniqueVoters: 1 } } },
  });
  expect(reported).toEqual([]);
  for (const waiting of [damaged, rival, rivalOfRival])
    await expect(close(waiting)).rejects.toThrow(`row ${damaged} of proposals cannot be read`);
  expect(reported).toEqual([damaged, damaged, damaged]);

  await writeThresholds(rows[0]?.thresholds);
  expect(await close(rivalOfRival)).toMatchObject({ stage: 'passed' });
  expect(await close(rival)).toMatchObject({ outcome: 'asset_in_another_proposal' });
  expect(await close(damaged)).toMatchObject({ stage: 'passed' });
});

test('a vault with a proposal that cannot be read ends, and its lists fail until it is fixed', async () => {
  await using service = await apiService();
  const { api, sql, db } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [100_000, 30_000]);
  const [, voter = ''] = voters;
  const villa = randomUUID();
  const create = async () => {
    const id = await propose(service, vaultId, proposer);
    await sql.run`update proposals set asset_ids = ${[villa]} where id = ${id}`;
    expect(await api.post(`/proposals/${id}/votes`, voteBody(voter, 30_000, 'yes'))).toMatchObject({ status: 200 });
    return id;
  };
  const before = await propose(service, vaultId, proposer);
  const damaged = await create();
  const rival = await create();
  expect(await api.post(`/proposals/${rival}/votes`, voteBody(proposer, 100_000, 'yes'))).toMatchObject({
    status: 200,
  });
  const rows = await sql.run<{ thresholds: object }>`select thresholds from proposals where id = ${damaged}`;
  const writeThresholds = (thresholds: object | undefined) =>
    sql.query('update proposals set thresholds = $2 where id = $1', [damaged, JSON.stringify(thresholds)]);
  await writeThresholds({});
  await service.advance(73 * HOUR);

  const listed = async (query: string) => {
    const { status, body } = await api.get<Proposals>(`/vaults/${vaultId}/proposals?${query}`);
    return status === 200 ? body.data.proposals.map(({ id }) => id) : [status, body];
  };
  const failure = [500, expect.objectContaining({ error: expect.objectContaining({ code: 'SYSTEM_ERROR' }) })];
  expect(await listed('')).toEqual(failure);
  expect(await listed('status=failed')).toEqual(failure);

  const reported: unknown[] = [];
  const unitOfWork = createUnitOfWork(db, offsetClock(wallClock), { next: randomUUID });
  const ending = { db, unitOfWork, onUnreadable: ({ id }: { readonly id: string }) => reported.push(id) };
  expect(await endProposals(ending, { vaultId, now: wallClock.now() })).toBe(true);
  expect(reported).toEqual([damaged]);
  const free = { status: 'ACTIVE', used: 0 };
  expect(await readStakeUsage(sql, vaultId)).toEqual({ [proposer]: free, [voter]: free });
  expect(await listed('')).toEqual(failure);

  await writeThresholds(rows[0]?.thresholds);
  expect(await listed('')).toEqual([rival, damaged, before]);
  const ended = { status: 'FAILED', failureReason: 'vault_ending' };
  expect(await api.get(`/proposals/${damaged}`)).toMatchObject({
    body: { data: { ...ended, votes: { approve: 30_000, uniqueVoters: 1 } } },
  });
  expect(await api.get(`/proposals/${rival}`)).toMatchObject({ body: { data: ended } });
  const told = await sql.run<{ id: string }>`select data ->> 'proposalId' as id from outbox
      where type = 'PROPOSAL_STATUS_CHANGED' and data ->> 'reason' = 'vault_ending' order by id`;
  expect(told.map(({ id }) => id)).toEqual([before, damaged, rival]);
});

test('a vote is closed once no rollback of a stake of its vault is in quarantine any more', async () => {
  await using service = await apiService();
  const { api, sql, db } = service;
  const { vaultId, proposer } = await lockedVault(service, [100_000]);
  const proposalId = await propose(service, vaultId, proposer);
  const { data } = (await api.get<{ data: { votingPhase: { endTime: string } } }>(`/proposals/${proposalId}`)).body;
  await recordTransaction(service, vaultId, 'ab'.repeat(32), 'stake');
  await sql.run`insert into quarantine (transaction_id, from_state, to_state, is_rollback, error, attempts, at,
      attempted_at)
      select id, 'final', 'submitted', true, 'a test', 1, now(), now() from chain_transactions where vault_id = ${vaultId}`;
  const unitOfWork = createUnitOfWork(db, offsetClock(wallClock), { next: randomUUID });
  const activities = createProposalActivities({ db, unitOfWork, onTransition: () => undefined });
  const close = () => activities.closeVoting({ proposalId, now: instant(new Date(data.votingPhase.endTime)) });
  await expect(close()).rejects.toMatchObject({ code: 'SERVICE_NOT_READY' });
  await sql.run`delete from quarantine`;
  expect(await close()).toMatchObject({ stage: 'ended' });
});

interface Proposals {
  readonly data: { readonly proposals: readonly { readonly id: string }[] };
}
