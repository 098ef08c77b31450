import { expect, test } from '@jest/globals';
import { closeFence } from '../../src/store/fences.ts';
import { vaultAwaitsDeposits } from '../../src/services/vaults/awaited-deposits.ts';
import { holdLock } from '../stack/hold-locks.ts';
import { until } from '../stack/until.ts';
import { apiService, newWallet } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';

test('a deposit that ends while its window closes wakes the vault workflow or is seen by the close', async () => {
  await using service = await apiService();
  const { db, sql } = service;
  const made = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
  const vaultId = made.body.vault_id;
  const fence = `window:${vaultId}:investment` as const;

  await db.transaction().execute(async (closing) => {
    await closeFence(closing, fence);
    expect(await db.transaction().execute((tx) => vaultAwaitsDeposits(tx, vaultId))).toBe(true);
  });

  const order: string[] = [];
  let closing = Promise.resolve();
  await db.transaction().execute(async (tx) => {
    expect(await vaultAwaitsDeposits(tx, vaultId)).toBe(false);
    closing = db.transaction().execute(async (closer) => {
      await closeFence(closer, fence);
      order.push('window closed');
    });
    const waiting = `select 1 from pg_locks join pg_database d on d.oid = database
      where locktype = 'advisory' and not granted and datname = current_database()`;
    await until(async () => (await sql.query(waiting)).rows.length > 0, { what: 'the window to wait for its deposit' });
    order.push('deposit written');
  });
  await closing;
  expect(order).toEqual(['deposit written', 'window closed']);
});

test('an investment is taken back neither before it is final nor after its window has ended', async () => {
  await using service = await apiService();
  const investor = await service.fundedWallet();
  const made = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
  const investments = `/vaults/${made.body.vault_id}/investments`;
  const investment = { walletAddress: investor.address, lovelace: 5_000_000 };
  const started = await service.api.post<{ data: { investmentId: string } }>(investments, investment);
  const { investmentId } = started.body.data;
  const takeBack = () => service.api.del(`${investments}/${investmentId}`);
  const refusedBy = (code: string) => ({ status: 400, body: { error: { code } } });
  expect(await takeBack()).toMatchObject(refusedBy('INVESTMENT_NOT_CONFIRMED'));

  await service.sql.query(`update investments set status = 'CONFIRMED' where id = $1`, [investmentId]);
  const { rows } = await service.sql.query<{ seconds: number }>(
    `select extract(epoch from max(ends_at) - now())::int + 1 as seconds from windows where vault_id = $1`,
    [made.body.vault_id],
  );
  await service.advance(rows[0]!.seconds);
  expect(await takeBack()).toMatchObject(refusedBy('INVESTMENT_WINDOW_CLOSED'));
  const stays = await service.sql.query('select status, remove_transaction_id from investments');
  expect(stays.rows).toEqual([{ status: 'CONFIRMED', remove_transaction_id: null }]);
});

test('a vault that is named in upper case has the same fences: no deposit slips past the close of its window', async () => {
  await using service = await apiService();
  const investor = await service.fundedWallet();
  const made = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
  const vaultId = made.body.vault_id;
  const investments = `/vaults/${vaultId.toUpperCase()}/investments`;
  const invest = () =>
    service.api.post<{ data: { vaultId: string } }>(investments, {
      walletAddress: investor.address,
      lovelace: 5_000_000,
    });

  const close = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
  const invested = await (async () => {
    await using closing = await holdLock(service, close, [`window:${vaultId}:investment`]);
    const sent = invest();
    await closing.reached();
    return { sent };
  })();
  expect(await invested.sent).toMatchObject({ status: 201, body: { data: { vaultId } } });
});
