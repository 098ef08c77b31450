import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { wallClock } from '../../src/domain/clock.ts';
import { createIds } from '../../src/domain/ids.ts';
import { findTransactionByHash } from '../../src/store/chain-transactions.ts';
import { moveTransaction } from '../../src/consequences/transactions.ts';
import { until } from '../stack/until.ts';
import { type ApiService, apiService } from '../vault/api-service.ts';
import { execute, executeBody } from './executions.ts';
import { holdingVault, passed } from './holding-vault.ts';
import { ballot, propose, refusal } from './locked-vault.ts';
import { barrier } from './killing.ts';

test('a cancel that began in the lock phase and comes after the execution does not end what was sent', async () => {
  await using service = await apiService({ ANCHOR_MIN_INTERVAL: '1500' });
  const { api, sql } = service;
  const vault = await holdingVault(service);
  const { vaultId, big } = vault;
  const other = await propose(service, vaultId, big.address);
  const id = await passed(service, vault, { action_type: 'liquidate' }, 0);
  await sql.query(`update proposals set lock_ends_at = now() + interval '5 s' where id = $1`, [id]);

  const { cancelled, executed } = await (async () => {
    // Both are written in one batch, which waits for the other's proposal before it comes to this one.
    const fence = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
    await using held = await barrier(service, fence, [`proposal:${other}`]);
    const voted = api.post(`/proposals/${other}/votes`, ballot(big.address, 1, 'yes'));
    const cancelled = api.del(`/proposals/${id}`);
    await held.reached();
    await until(() => isLocked(service, id).then((locked) => !locked), { what: 'the lock phase to be over' });
    const executed = await execute(service, id, executeBody(big, [], { type: 'liquidate', details: {} }));
    return { cancelled, executed, voted };
  })();

  expect(executed).toMatchObject({ status: 200, body: { status: 'executed' } });
  expect(await cancelled).toMatchObject(refusal(400, 'PROPOSAL_NOT_CANCELLABLE'));
  await land(service, executed.body.transaction.tx_hash);
  expect(await api.get(`/proposals/${id}`)).toMatchObject({ body: { data: { status: 'EXECUTED' } } });
});

async function isLocked({ sql }: ApiService, id: string): Promise<boolean> {
  const { rows } = await sql.query('select 1 from proposals where id = $1 and lock_ends_at > now()', [id]);
  return rows.length > 0;
}

/** What the ledger's follower does when it sees the transaction in a block. */
async function land({ db }: ApiService, hash: string): Promise<void> {
  const ids = createIds({ clock: wallClock, random: randomBytes });
  await db.transaction().execute(async (tx) => {
    const transaction = await findTransactionByHash(tx, hash);
    if (!transaction) throw new Error('the transaction is not recorded');
    const block = { height: 5, hash: '5'.repeat(64) };
    await moveTransaction({ tx, ids, now: wallClock.now() }, transaction, { to: 'confirmed', block });
  });
}
