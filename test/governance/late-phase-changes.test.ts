import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createProposalActivities } from '../../activities/proposals.ts';
import { wallClock, instant, secondsAfter } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { findTransaction } from '../../src/transactions/queries/transactions.ts';
import { lockStakesOfWallets } from '../../src/votes/queries/voting-powers.ts';
import { moveTransaction } from '../../src/ledger-follower/effects.ts';
import { createUnitOfWork, offsetClock } from '../../src/platform/database/unit-of-work.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { recordHeldAsset } from './vault-with-custody.ts';
import { voteBody, lockedVault, propose } from './staked-vault.ts';
import { readStakeUsage } from './seed-stakes.ts';
import { errorResponse } from '../stack/error-response.ts';

interface ProposalResponse {
  readonly data: {
    readonly status: string;
    readonly failureReason: string | null;
    readonly eligiblePowerBaseUnits: string;
    readonly votingPhase: { readonly endTime: string };
    readonly executionPhase: { readonly endTime: string };
    readonly allowedActions: readonly object[];
  };
}

const HOUR = 3600;

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

const read = async (id: string) => (await service.api.get<ProposalResponse>(`/proposals/${id}`)).body.data;
const votingEnd = async (id: string) => instant(new Date((await read(id)).votingPhase.endTime));

const ids = createIds({ clock: wallClock, random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) });
const unitOfWork = () => createUnitOfWork(service.db, offsetClock(wallClock), ids);

/** The activities a worker would run. */
const worker = () => {
  const { db } = service;
  return createProposalActivities({ db, unitOfWork: unitOfWork(), onTransition: () => undefined });
};

const close = async (proposalId: string) => worker().closeVoting({ proposalId, now: await votingEnd(proposalId) });

/** Starts the return of a stake, as if its owner had requested it now. */
async function startReturn(vaultId: string, wallet: string): Promise<void> {
  await service.sql.query(
    `with unstaking as (
       insert into chain_transactions (id, kind, vault_id, owner_workflow, signer, wallet, hash, unsigned_cbor, inputs,
         outputs, required_signers, fee, ttl_slot, expires_at, state, created_at, updated_at)
       select $1::uuid, 'unstake', $2, 'tx-' || $1, 'wallet', $3, $4, '', '[]', '[]', '{}', 0, 0, at, 'awaiting_signatures', at, at
         from (select now() + offset_ms * interval '1 ms' as at from clock_offset) as clock
       returning id
     )
     update stakes set unstake_transaction_id = (select id from unstaking) where vault_id = $2 and wallet = $3`,
    [randomUUID(), vaultId, wallet, randomBytes(32).toString('hex')],
  );
}

/** Expires the unsigned return of a stake. */
async function expireReturn(vaultId: string, wallet: string): Promise<void> {
  await unitOfWork()(async ({ tx, now }) => {
    const [stake] = await lockStakesOfWallets(tx, { vaultIds: [vaultId], wallets: [wallet] });
    const transaction = await findTransaction(tx, stake?.unstake_transaction_id ?? '');
    if (!transaction) throw new Error('the stake has no return transaction');
    await moveTransaction({ tx, ids, now }, transaction, { to: 'expired', reason: 'a test' });
  });
}

test('a stake that is withdrawn between the end of voting and the count does not change the outcome', async () => {
  const { api } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [100_000, 300_000, 50_000]);
  const [, silent = '', early = ''] = voters;
  const id = await propose(service, vaultId, proposer);
  expect(await api.post(`/proposals/${id}/votes`, voteBody(proposer, 100_000, 'yes'))).toMatchObject({ status: 200 });
  await startReturn(vaultId, early);
  const eligiblePowerBaseUnits = '400000000000';
  expect(await read(id)).toMatchObject({ status: 'ACTIVE', eligiblePowerBaseUnits });

  await service.advance(73 * HOUR);
  const failed = { status: 'FAILED', failureReason: 'quorum_not_reached', eligiblePowerBaseUnits };
  expect(await read(id)).toMatchObject(failed);
  await startReturn(vaultId, silent);
  expect(await read(id)).toMatchObject(failed);
  await close(id);
  expect(await read(id)).toMatchObject(failed);
});

test('an unstaking that was pending when voting ended and expires afterwards does not change the outcome', async () => {
  const { api } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [100_000, 200_000, 50_000]);
  const [, leaving = '', staying = ''] = voters;
  const id = await propose(service, vaultId, proposer);
  expect(await api.post(`/proposals/${id}/votes`, voteBody(proposer, 100_000, 'yes'))).toMatchObject({ status: 200 });
  await startReturn(vaultId, staying);
  await expireReturn(vaultId, staying);
  await startReturn(vaultId, leaving);
  await service.advance(73 * HOUR);
  const passed = { status: 'PASSED', eligiblePowerBaseUnits: '150000000000' };
  expect(await read(id)).toMatchObject(passed);
  await expireReturn(vaultId, leaving);
  expect(await read(id)).toMatchObject(passed);
  await startReturn(vaultId, leaving);
  expect(await read(id)).toMatchObject(passed);
  await close(id);
  expect(await read(id)).toMatchObject(passed);
});

test('a stake used in a proposal stays locked until the workflow of that proposal releases it, whatever else it votes on', async () => {
  const { api, sql } = service;
  const { vaultId, proposer } = await lockedVault(service, [100_000]);
  const [closed, other] = [await propose(service, vaultId, proposer), await propose(service, vaultId, proposer)];
  const votes: string[] = [];
  for (const [id, tokens] of [[closed, 15_000] as const, [other, 10_000] as const]) {
    const answer = await api.post<{ vote_id: string }>(`/proposals/${id}/votes`, voteBody(proposer, tokens, 'no'));
    votes.push(answer.body.vote_id);
  }
  const now = await votingEnd(closed);
  expect(await worker().closeVoting({ proposalId: closed, now })).toMatchObject({ stage: 'ended' });
  expect(await api.del(`/votes/${votes[1]}`)).toMatchObject({ status: 200 });
  expect((await readStakeUsage(sql, vaultId))[proposer]).toEqual({ status: 'LOCKED', used: 15_000 });

  await worker().releaseStakes({ proposalId: closed, now });
  expect((await readStakeUsage(sql, vaultId))[proposer]).toEqual({ status: 'ACTIVE', used: 0 });
});

test('a step that a worker repeats after a crash changes nothing', async () => {
  const { api, sql } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [100_000, 20_000]);
  const [draft, lost, won] = [
    await propose(service, vaultId, voters[1] ?? ''),
    await propose(service, vaultId, proposer),
    await propose(service, vaultId, proposer),
  ];
  expect(await api.post(`/proposals/${won}/votes`, voteBody(proposer, 100_000, 'yes'))).toMatchObject({ status: 200 });
  const now = secondsAfter(await votingEnd(won), 60 * 24 * HOUR);
  const databaseState = async () => {
    const rows = await sql.run<object>`select (select jsonb_agg(p order by id)
        from proposals p) as proposals, (select jsonb_agg(s order by id) from stakes s)
        as stakes, (select count(*) from outbox) as events`;
    return rows;
  };
  const steps = worker();
  for (const [name, proposalId] of [
    ['expireDraft', draft],
    ['closeVoting', lost],
    ['closeVoting', won],
    ['endExecution', won],
    ['releaseStakes', won],
  ] as const) {
    const reached = await steps[name]({ proposalId, now });
    const before = await databaseState();
    expect(await steps[name]({ proposalId, now })).toEqual(reached);
    expect(await databaseState()).toEqual(before);
  }
  const reasons = [await read(draft), await read(lost), await read(won)].map(({ failureReason }) => failureReason);
  expect(reasons).toEqual(['draft_expired', 'quorum_not_reached', 'execution_window_elapsed']);
});

const assetTaken = { status: 'FAILED', failureReason: 'asset_in_another_proposal' };

interface Asset {
  readonly policy_id: string;
  readonly asset_name: string;
}

/** Gives a vault an asset and returns its name. */
async function addAsset(vaultId: string, asset_name: string): Promise<Asset> {
  const asset = { policy_id: randomBytes(28).toString('hex'), asset_name };
  await recordHeldAsset(service, vaultId, asset);
  return asset;
}

/** A proposal to sell, with a vote of its proposer that lets it pass. */
async function sale(vaultId: string, proposer: string, affected_assets: readonly Asset[], voting_duration: string) {
  const details = { title: 'Sell', description: '', action_type: 'sell_asset', affected_assets };
  const phases = { voting_duration, lock_duration: '24h', execution_duration: '24h' };
  const body = { proposer, proposal_details: { ...details, terms: { price: 5_000_000 } }, phases };
  const answer = await service.api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, body);
  expect(answer).toMatchObject({ status: 201 });
  const id = answer.body.proposal_id;
  const vote = await service.api.post(`/proposals/${id}/votes`, voteBody(proposer, 100_000, 'yes'));
  expect(vote).toMatchObject({ status: 200 });
  return id;
}

test('of several proposals over one asset, only the clock decides which one blocks another, however late a worker runs', async () => {
  const { api } = service;
  const { vaultId, proposer } = await lockedVault(service, [100_000]);
  const asset = await addAsset(vaultId, 'Villa');
  const proposeSale = (voting: string) => sale(vaultId, proposer, [asset], voting);
  const [first, second, third] = [await proposeSale('24h'), await proposeSale('48h'), await proposeSale('120h')];
  await service.advance(25 * HOUR);
  await close(first);
  expect(await read(first)).toMatchObject({ status: 'PASSED' });

  await service.advance(24 * HOUR);
  expect(await read(second)).toMatchObject(assetTaken);
  const action = { type: 'sell_asset', details: { ...asset, price: 5_000_000 } };
  const execution = { executing_user: proposer, cosigners: [proposer], action };
  expect(await api.del(`/proposals/${second}`)).toMatchObject(errorResponse(400, 'PROPOSAL_NOT_CANCELLABLE'));

  // The execution phase of the first proposal is over by now, too, although no worker has recorded it.
  await service.advance(96 * HOUR);
  expect(await read(first)).toMatchObject({ failureReason: 'execution_window_elapsed' });
  expect(await read(second)).toMatchObject(assetTaken);
  expect(await read(third)).toMatchObject({ status: 'PASSED', phase: 'execution' });
  expect((await read(third)).allowedActions).toContainEqual({
    action: 'execute',
    allowed: false,
    reason: 'SERVICE_NOT_READY',
  });
  expect(await api.post(`/proposals/${third}/execute`, execution)).toMatchObject(
    errorResponse(500, 'SERVICE_NOT_READY'),
  );
  for (const [proposalId, stage] of [[second, 'ended'] as const, [third, 'passed'] as const]) {
    expect(await close(proposalId)).toMatchObject({ stage });
  }
});

test('of several unclosed proposals over one asset, the one whose voting ended first passes, in whatever order workers close them', async () => {
  const { vaultId, proposer } = await lockedVault(service, [100_000]);
  const [villa, boat] = [await addAsset(vaultId, 'Villa'), await addAsset(vaultId, 'Boat')];
  // The second proposal fails because of the villa, so it does not block the third one over the boat.
  const first = await sale(vaultId, proposer, [villa], '24h');
  const second = await sale(vaultId, proposer, [villa, boat], '36h');
  const third = await sale(vaultId, proposer, [boat], '48h');
  await service.advance(49 * HOUR);
  const outcomes = [{ status: 'PASSED' }, assetTaken, { status: 'PASSED' }];
  const readAll = async () => [await read(first), await read(second), await read(third)];
  expect(await readAll()).toMatchObject(outcomes);

  expect(await close(second)).toEqual({ stage: 'ended', outcome: 'asset_in_another_proposal' });
  expect(await readAll()).toMatchObject(outcomes);
  expect(await close(third)).toMatchObject({ stage: 'passed' });
  expect(await close(first)).toMatchObject({ stage: 'passed' });
  expect(await readAll()).toMatchObject(outcomes);
  const statusEvents = `select data ->> 'status' as status from outbox where type = 'PROPOSAL_STATUS_CHANGED' and data ->> 'proposalId' = any($1)
    and data ->> 'status' in ('PASSED', 'FAILED') order by status`;
  const { rows } = await service.sql.query<{ status: string }>(statusEvents, [[first, second, third]]);
  expect(rows.map(({ status }) => status)).toEqual(['FAILED', 'PASSED', 'PASSED']);
});

test('exactly one of several proposals over one asset passes if their voting ends at the same instant and workers close them at once', async () => {
  const { vaultId, proposer } = await lockedVault(service, [100_000]);
  const asset = await addAsset(vaultId, 'Villa');
  const proposals: string[] = [];
  for (let count = 0; count < 5; count += 1) proposals.push(await sale(vaultId, proposer, [asset], '24h'));
  await service.sql.query(
    'update proposals set voting_ends_at = (select max(voting_ends_at) from proposals where id = any($1)) where id = any($1)',
    [proposals],
  );
  await service.advance(25 * HOUR);
  const before = await Promise.all(proposals.map(read));
  const winner = proposals.toSorted()[0];
  expect(before.map(({ status }) => status)).toEqual(proposals.map((id) => (id === winner ? 'PASSED' : 'FAILED')));

  const stages = await Promise.all(proposals.toReversed().map(close));
  expect(stages.filter(({ stage }) => stage === 'passed')).toHaveLength(1);
  const after = await Promise.all(proposals.map(read));
  expect(after.map(({ status, failureReason }) => [status, failureReason])).toEqual(
    before.map(({ status, failureReason }) => [status, failureReason]),
  );
});

test('a passed proposal that ends before a later one over the same asset is counted still blocks that later one', async () => {
  const { vaultId, proposer } = await lockedVault(service, [100_000]);
  const asset = await addAsset(vaultId, 'Villa');
  const [cancelled, late] = [
    await sale(vaultId, proposer, [asset], '24h'),
    await sale(vaultId, proposer, [asset], '36h'),
  ];
  await service.advance(37 * HOUR);
  expect(await read(late)).toMatchObject(assetTaken);
  expect(await service.api.del(`/proposals/${cancelled}`)).toMatchObject({ status: 200 });
  expect(await read(late)).toMatchObject(assetTaken);
  await close(late);
  expect(await read(late)).toMatchObject(assetTaken);

  const [elapsed, later] = [
    await sale(vaultId, proposer, [asset], '24h'),
    await sale(vaultId, proposer, [asset], '48h'),
  ];
  await service.advance(100 * HOUR);
  expect(await read(later)).toMatchObject(assetTaken);
  await close(elapsed);
  await worker().endExecution({
    proposalId: elapsed,
    now: instant(new Date((await read(elapsed)).executionPhase.endTime)),
  });
  expect(await read(elapsed)).toMatchObject({ failureReason: 'execution_window_elapsed' });
  expect(await read(later)).toMatchObject(assetTaken);
  await close(later);
  expect(await read(later)).toMatchObject(assetTaken);
});
