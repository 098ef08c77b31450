import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Caller } from '../../src/access/rules.ts';
import { wallClock } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { findTransactionByHash } from '../../src/transactions/queries/transactions.ts';
import { moveTransaction } from '../../src/ledger-follower/effects.ts';
import { cancelProposal } from '../../src/proposals/cancel-proposal.ts';
import { endProposals } from '../../src/termination/advance-termination.ts';
import { followerOf } from '../follower/follower-service.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { execute, executeBody } from './execution-requests.ts';
import { vaultWithCustody, createPassedProposal } from './vault-with-custody.ts';
import { readStakeUsage } from './seed-stakes.ts';
import { propose, voteBody } from './staked-vault.ts';
import { errorResponse } from '../stack/error-response.ts';

const HOUR = 3600;
/** A key that may act for every wallet. */
const everybody: Caller = {
  apiKeyId: '0a'.repeat(16),
  roles: ['ADMIN'],
  permissions: [{ resource: '*', action: '*' }],
  wallet: null,
  sessionId: null,
};

test('a cancellation that began in the lock phase but arrives after the execution is refused, and the execution is confirmed', async () => {
  await using service = await apiService();
  const { api, sql, db } = service;
  const vault = await vaultWithCustody(service);
  const id = await createPassedProposal(service, vault, { action_type: 'liquidate' }, 0);
  await sql.run`update proposals set lock_ends_at = now() + interval '1 h' where id = ${id}`;

  // The cancellation has already read the clock.
  const now = wallClock.now();
  await service.advance(2 * HOUR);
  const executed = await execute(service, id, executeBody(vault.big, [], { type: 'liquidate', details: {} }));
  const ids = createIds({ clock: wallClock, random: randomBytes });
  const anchor = () => Promise.reject(new Error('nothing is cancelled'));
  const cancelling = db
    .transaction()
    .execute((tx) =>
      cancelProposal({ tx, ids, now, anchor }, { proposalId: id, caller: everybody, correlationId: '' }),
    );

  expect(executed).toMatchObject({ status: 200, body: { status: 'executed' } });
  await expect(cancelling).rejects.toMatchObject({ code: 'PROPOSAL_NOT_CANCELLABLE' });
  expect(await api.del(`/proposals/${id}`)).toMatchObject(errorResponse(400, 'PROPOSAL_NOT_CANCELLABLE'));
  await confirm(service, executed.body.transaction.tx_hash);
  expect(await api.get(`/proposals/${id}`)).toMatchObject({ body: { data: { status: 'EXECUTED' } } });
});

test('the live proposals of a vault that ends fail with it and free what they locked, except one whose execution was sent', async () => {
  await using service = await apiService();
  const { api, sql, db } = service;
  const vault = await vaultWithCustody(service);
  const { vaultId, big, middle } = vault;
  const sent = await createPassedProposal(service, vault, { action_type: 'liquidate' }, 0);
  expect(await execute(service, sent, executeBody(big, [], { type: 'liquidate', details: {} }))).toMatchObject({
    status: 200,
  });
  const passed = await createPassedProposal(service, vault, { action_type: 'liquidate' }, 0);
  const voting = await propose(service, vaultId, big.address);
  const vote = await api.post(`/proposals/${voting}/votes`, voteBody(middle.address, 1000, 'approve'));
  expect(vote).toMatchObject({ status: 200 });
  expect((await readStakeUsage(sql, vaultId))[middle.address]).toMatchObject({ status: 'LOCKED' });

  const { context } = followerOf(service);
  const ending = { vaultId, now: wallClock.now() };
  // Whoever asks again finds the same: the execution that was sent is confirmed, or can no longer be confirmed, before the vault continues.
  for (let time = 0; time < 2; time += 1) expect(await endProposals({ ...context, db }, ending)).toBe(false);

  const read = async (id: string) => (await api.get<{ data: object }>(`/proposals/${id}`)).body.data;
  expect(await read(voting)).toMatchObject({
    status: 'FAILED',
    failureReason: 'vault_ending',
    votes: { uniqueVoters: 1 },
  });
  expect(await read(passed)).toMatchObject({ status: 'FAILED', failureReason: 'vault_ending' });
  expect(await read(sent)).toMatchObject({ status: 'PASSED', failureReason: null });
  expect((await readStakeUsage(sql, vaultId))[middle.address]).toEqual({ status: 'ACTIVE', used: 0 });
  const rows = await sql.run<{ wallet: string }>`select actor as wallet from outbox
      where vault_id = ${vaultId} and type = 'STAKE_UNLOCKED'`;
  expect(rows.map(({ wallet }) => wallet)).toContain(middle.address);
});

/** Confirms a transaction as the ledger follower does when it sees it in a block. */
async function confirm({ db }: ApiService, hash: string): Promise<void> {
  const ids = createIds({ clock: wallClock, random: randomBytes });
  await db.transaction().execute(async (tx) => {
    const transaction = await findTransactionByHash(tx, hash);
    if (!transaction) throw new Error('the transaction is not recorded');
    const block = { height: 5, hash: '5'.repeat(64) };
    await moveTransaction({ tx, ids, now: wallClock.now() }, transaction, { to: 'confirmed', block });
  });
}
