import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { lockAnchorChain } from '../../src/anchoring/queries/anchor-chains.ts';
import { vaultWithTokens } from '../governance/vault-with-tokens.ts';
import { holdLock } from '../stack/hold-locks.ts';
import { submitDirectly } from '../vault-lifecycle/direct-submission.ts';
import { apiService, newWallet } from '../vaults/api-service.ts';
import { followerOf } from './follower-service.ts';

interface StakeResponse {
  readonly data: { readonly transaction: { readonly hash: string; readonly unsignedTx: string } };
}

test('a rollback locks transactions in the order in which who sends them does, so that the two cannot deadlock', async () => {
  await using service = await apiService();
  const { api, sql, ledger } = service;
  const follower = followerOf(service);
  const wallets = [newWallet(), newWallet()];
  const vaultIds: string[] = [];
  for (const wallet of wallets) vaultIds.push(await vaultWithTokens(service, wallet));
  await follower.catchUp();
  const hashes: string[] = [];
  for (const [place, wallet] of wallets.entries()) {
    const staking = { walletAddress: wallet.address, amount: 100 };
    const { body } = await api.post<StakeResponse>(`/vaults/${vaultIds[place]}/stakes`, staking);
    await submitDirectly(service, wallet, body.data.transaction.unsignedTx);
    hashes.push(body.data.transaction.hash);
  }
  const { height } = await ledger.mine();
  await follower.catchUp();
  const rows = await sql.run<{ id: string }>`select id from chain_transactions
      where hash = any(${hashes}) order by id`;
  const [first = '', second = ''] = rows.map(({ id }) => id);
  const lock = 'select 1 from chain_transactions where id = $1 for update';

  await ledger.rollbackFrom(height);
  const undoing = await (async () => {
    await using sender = await holdLock(service, lock, [first]);
    const undoing = follower.look();
    await sender.reached();
    expect(await sql.query(`${lock} nowait`, [second])).toMatchObject({ rowCount: 1 });
    return { undoing };
  })();
  expect(await undoing.undoing).toBe('rollback');
  const undone = await sql.query<{ hash: string }>(
    `select t.hash from chain_transaction_history h join chain_transactions t on t.id = h.transaction_id
      where h.state = 'submitted' and h.reason like '%rolled back' and t.hash = any($1)`,
    [hashes],
  );
  expect(undone.rows).toHaveLength(2);
});

test('an anchor that ends returns its inputs to an anchor chain that somebody repairs', async () => {
  await using service = await apiService();
  const { sql, db } = service;
  const anchorChainId = randomUUID();
  await sql.run`insert into anchor_chains (id, held_until, tip)
      values (${anchorChainId}, now(), '{"txHash":"","index":0,"address":"","lovelace":"0","assets":{}}')`;
  await sql.run`insert into utxo_leases (tx_hash, output_index, transaction_id, anchor_chain_id)
      values (repeat('a', 64), 0, null, ${anchorChainId})`;
  await db.transaction().execute(async (tx) => {
    await lockAnchorChain(tx, anchorChainId);
    const session = await sql.connect();
    try {
      await session.query(`set lock_timeout = 500`);
      const returned = `insert into utxo_leases (tx_hash, output_index, transaction_id, anchor_chain_id) values (repeat('b', 64), 0, null, $1)`;
      expect(await session.query(returned, [anchorChainId])).toMatchObject({ rowCount: 1 });
    } finally {
      session.release(true);
    }
  });
});
