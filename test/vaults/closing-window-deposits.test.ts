import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { vaultAwaitsDeposits } from '../../src/vaults/transitions.ts';
import { closeDueWindows } from '../../src/vaults/windows.ts';
import { lockExclusive, lockShared } from '../../src/platform/database/locks.ts';
import { createUnitOfWork, productionClock } from '../../src/platform/database/unit-of-work.ts';
import { lockVaultRow } from '../../src/vaults/queries/vaults.ts';
import { holdLock } from '../stack/hold-locks.ts';
import { until } from '../stack/until.ts';
import { apiService, newWallet } from './api-service.ts';
import { errorResponse } from '../stack/error-response.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

const ids = createIds({ clock: wallClock, random: randomBytes });

test('a deposit that ends while its window closes wakes the vault workflow or is seen by the close', async () => {
  await using service = await apiService();
  const { db, sql } = service;
  const vaultId = await createVault(service, newWallet().address);
  const lock = `window:${vaultId}:investment` as const;

  await db.transaction().execute(async (closing) => {
    await lockExclusive(closing, lock);
    expect(await db.transaction().execute((tx) => vaultAwaitsDeposits(tx, vaultId))).toBe(true);
  });

  const order: string[] = [];
  let closing = Promise.resolve();
  await db.transaction().execute(async (tx) => {
    expect(await vaultAwaitsDeposits(tx, vaultId)).toBe(false);
    closing = db.transaction().execute(async (closer) => {
      await lockExclusive(closer, lock);
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
  const vaultId = await createVault(service, newWallet().address);
  const investments = `/vaults/${vaultId}/investments`;
  const investment = { walletAddress: investor.address, lovelace: 5_000_000 };
  const started = await service.api.post<{ data: { investmentId: string } }>(investments, investment);
  const { investmentId } = started.body.data;
  const takeBack = () => service.api.del(`${investments}/${investmentId}`);
  const refusedBy = (code: string) => errorResponse(400, code);
  expect(await takeBack()).toMatchObject(refusedBy('INVESTMENT_NOT_CONFIRMED'));

  await service.sql.run`update investments set status = 'CONFIRMED' where id = ${investmentId}`;
  const rows = await service.sql.run<{ seconds: number }>`select extract(epoch
      from max(ends_at) - now())::int + 1 as seconds from windows where vault_id = ${vaultId}`;
  await service.advance(rows[0]!.seconds);
  expect(await takeBack()).toMatchObject(refusedBy('INVESTMENT_WINDOW_CLOSED'));
  const stays = await service.sql.query('select status, remove_transaction_id from investments');
  expect(stays.rows).toEqual([{ status: 'CONFIRMED', remove_transaction_id: null }]);
});

test('a vault that is named in upper case has the same locks: no deposit slips past the close of its window', async () => {
  await using service = await apiService();
  const investor = await service.fundedWallet();
  const vaultId = await createVault(service, newWallet().address);
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

test('windows that are due together close together; what somebody holds stays for its own workflow', async () => {
  await using service = await apiService();
  const { db, sql } = service;
  const owner = await service.fundedWallet({ Boat: '1' });
  const create = async () => {
    return createVault(service, owner.address);
  };
  const [empty, full, written, locked] = [await create(), await create(), await create(), await create()];
  const [failed, later] = [await create(), await create()];
  const asset = { policy_id: owner.policyId, asset_name: 'Boat', valuation_method: 'floor_price', metadata: {} };
  const added = await service.api.post(`/vaults/${full}/assets`, { ...asset, wallet_address: owner.address });
  expect(added).toMatchObject({ status: 201 });
  const now = instant(new Date('2100-01-01T00:00:00Z'));
  await sql.run`update windows set status = 'ACTIVE', ends_at = ${new Date(now)}`;
  await sql.run`update windows set ends_at = ends_at + interval '1 ms' where vault_id = ${later}`;
  await sql.run`update vaults set failed_because = 'cancelled' where id = ${failed}`;
  const transitions: string[] = [];
  const context = {
    unitOfWork: createUnitOfWork(db, productionClock(wallClock), ids),
    onTransition: (transition: string) => transitions.push(transition),
  };
  const statuses = async (vaultId: string) => {
    const windows = 'select status from windows where vault_id = $1';
    return (await sql.query<{ status: string }>(windows, [vaultId])).rows.map(({ status }) => status);
  };

  await db.transaction().execute(async (writer) => {
    await lockShared(writer, `window:${written}:asset`);
    await lockShared(writer, `window:${written}:investment`);
    await lockVaultRow(writer, locked);
    await closeDueWindows(context, now);
  });

  expect(await statuses(empty)).toEqual(['FAILED', 'FAILED']);
  expect(await statuses(full)).toEqual(['COMPLETED', 'COMPLETED']);
  expect(await statuses(failed)).toEqual(['FAILED', 'FAILED']);
  for (const vaultId of [written, locked, later]) expect(await statuses(vaultId)).toEqual(['ACTIVE', 'ACTIVE']);
  const reasons = await sql.query('select id from vaults where failed_because = $1', ['no_assets']);
  expect(reasons.rows).toEqual([{ id: empty }]);
  expect(transitions).toHaveLength(6);
  const events = `select 1 from outbox where type = 'WINDOW_STATUS_CHANGED' and vault_id = $1`;
  expect((await sql.query(events, [full])).rows).toHaveLength(2);

  await closeDueWindows(context, now);
  expect(await statuses(locked)).toEqual(['FAILED', 'FAILED']);
  expect(transitions).toHaveLength(10);
});
