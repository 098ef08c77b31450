import { expect, test } from '@jest/globals';
import { closeFence } from '../../src/store/fences.ts';
import { vaultAwaitsDeposits } from '../../src/services/vaults/awaited-deposits.ts';
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
