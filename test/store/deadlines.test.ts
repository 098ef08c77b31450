import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { openDatabase } from '../../src/platform/database/database.ts';
import { holdLocks } from '../stack/hold-locks.ts';
import { testDatabase } from '../stack/test-database.ts';
import { until } from '../stack/until.ts';
import { apiService, newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { errorResponse } from '../stack/error-response.ts';

test('a request whose statement hangs is told to try again, and the next request succeeds', async () => {
  await using service = await apiService({ LOG_LEVEL: 'silent', REQUEST_TIMEOUT_SECONDS: '4' });
  const jam = await service.sql.connect();
  await jam.query('begin');
  await jam.query('lock table vaults in access exclusive mode');
  const reads = Array.from({ length: 12 }, () => service.api.get('/vaults'));
  // Readiness asks on a connection of its own, also while requests have all the others.
  const ready = await service.root.get('/health/ready', { key: null });
  expect(ready.body).toMatchObject({ error: { details: { checks: { database: 'ok', worker: 'failed' } } } });
  const answers = await Promise.all(reads);
  for (const answer of answers) {
    expect(answer).toMatchObject(errorResponse(503, 'SERVICE_NOT_READY'));
  }
  await jam.query('rollback');
  jam.release();
  await until(async () => (await service.api.get('/vaults')).status === 200, { what: 'the next request to succeed' });
});

test('an anchored change whose statement hangs is told to try again before its request is cut off', async () => {
  await using service = await apiService({ LOG_LEVEL: 'silent', REQUEST_TIMEOUT_SECONDS: '4' });
  const owner = newWallet();
  const made = await service.api.post<{ vault_id: string }>('/vaults', {
    ...vaultBody(owner.address),
    vault_type: 'semi-private',
    privacy_type: 'semi_private',
    investor_whitelist: [newWallet().address],
  });
  const path = `/vaults/${made.body.vault_id}/allowlist`;
  const change = { type: 'INVESTOR', operation: 'ADD', addresses: [owner.address] };
  const stuck = await holdLocks(service, 'lock table anchor_facts in access exclusive mode', () =>
    service.api.patch(path, change),
  );
  expect(stuck).toMatchObject(errorResponse(500, 'SERVICE_NOT_READY'));
  expect(await service.api.patch(path, change)).toMatchObject({ status: 200 });
});

test('every connection has deadlines, so that a process that freezes soon loses its locks', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  const { rows } = await sql`select name, setting::int / 1000 as seconds from pg_settings
    where name in ('statement_timeout', 'idle_in_transaction_session_timeout') order by name`.execute(db);
  await db.destroy();
  expect(rows).toEqual([
    { name: 'idle_in_transaction_session_timeout', seconds: 30 },
    { name: 'statement_timeout', seconds: 60 },
  ]);
});

test('a query to a Postgres that stops responding fails, inside and outside of a transaction', async () => {
  await using database = await testDatabase();
  await using link = await linkTo(new URL(database.url));
  const db = openDatabase(`${link.url}?query_timeout=3000`, () => undefined, 2);
  const ask = () => sql`select 1`.execute(db);
  // Both connections are open before it falls silent.
  await Promise.all([ask(), ask()]);
  const inside = db.transaction().execute(async (tx) => {
    await sql`select 1`.execute(tx);
    link.fallSilent();
    await sql`select 1`.execute(tx);
  });
  await expect(inside).rejects.toThrow('timeout');
  await expect(ask()).rejects.toThrow('timeout');
  await db.destroy();
});

/** A connection to Postgres that can silently drop everything, as a network does. */
async function linkTo(target: URL) {
  let silent = false;
  const sockets: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    sockets.push(near, far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (data) => silent || to.write(data)).on('error', () => to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    fallSilent() {
      silent = true;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
