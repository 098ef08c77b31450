import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { insertReconciliation } from '../../src/books/queries/reconciliations.ts';
import { deleteExpired } from '../../src/operations/queries.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { deleteExpiredNonces } from '../../src/access/queries/sessions.ts';
import { deleteOldEvents, lastEventNumber } from '../../src/events/queries/events.ts';
import { deleteSentMessages } from '../../src/platform/temporal/workflow-outbox.ts';
import type { EventFeed } from '../../src/events/event-tail.ts';
import { startOf } from '../../src/events/live/subscriptions.ts';
import { testDatabase } from '../stack/test-database.ts';

test('workflow messages sent more than an hour ago are deleted; unsent and recent ones are kept', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  for (const kind of ['start', 'signal']) {
    for (const sentAgo of ['61 minutes', '59 minutes', null]) {
      const note = [randomUUID(), `${kind} ${sentAgo}`, { kind }, sentAgo];
      const row = `insert into workflow_notices (id, workflow_id, message, created_at, sent_at)
        values ($1, $2, $3, now() - interval '2 hours', now() - $4::interval)`;
      await database.sql.query(row, note);
    }
  }

  await deleteSentMessages(db);
  const rows = await database.sql.run<{ id: string }>`select workflow_id as id from workflow_notices order by 1`;
  expect(rows.map(({ id }) => id)).toEqual(['signal 59 minutes', 'signal null', 'start 59 minutes', 'start null']);
  await db.destroy();
});

test('old events are deleted up to the first younger one, and who has missed one of them is told so', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  const insertEvent = `insert into outbox (id, seq, type, actor, correlation_id, data, occurred_at)
    values ($1, $2, 'VAULT_CREATED', 'platform', '', '{}', now() - $3::interval)`;
  const ages = ['5 days', '4 days', '1 day', '4 days', '1 hour'];
  for (const [index, age] of ages.entries()) await database.sql.query(insertEvent, [randomUUID(), index + 1, age]);
  const kept = async () => {
    const rows = await database.sql.run<{ seq: string }>`select seq from outbox order by seq`;
    return rows.map(({ seq }) => Number(seq));
  };
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  const feed = { position: () => 5 } as EventFeed;

  await deleteOldEvents(db, daysAgo(3));
  expect(await kept()).toEqual([3, 4, 5]);
  for (const after of [0, 2, 3, 5]) expect(await startOf(db, feed, after)).toBe(after);
  await expect(startOf(db, feed, 1)).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    details: { errors: [{ field: 'after' }] },
  });

  // The next event is numbered after the last one.
  await deleteOldEvents(db, daysAgo(0));
  expect([await kept(), await lastEventNumber(db)]).toEqual([[5], 5]);
  await db.destroy();
});

test('the sweep deletes anchored actions that count no more, and the usage of versions after 400 days', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  const now = wallClock.now();
  const ago = (hours: number) => new Date(now - hours * 3_600_000);
  const [day, kept] = [24, 398 * 24];
  const insert = async (into: string, at: Date) => {
    const [table, values] = into.split(' values ');
    await database.sql.query(`insert into ${table} values ${values}`, [at]);
  };
  const tables: [into: string, column: string, old: Date, young: Date][] = [
    [`anchored_actions (wallet, kind, at) values ('w', 'vote', $1)`, 'at', ago(day + 1), ago(day - 1)],
    [`version_usage values ($1, 'v1', 1, 0, 1)`, 'day', ago(kept + 3 * day), ago(kept)],
    [`version_clients values ($1, 'v1', 'key')`, 'day', ago(kept + 3 * day), ago(kept)],
  ];
  for (const [into, , ...times] of tables) for (const at of times) await insert(into, at);

  await deleteExpired(db, { eventsKeptDays: 400, anchoredActionsSince: instant(ago(day)) });
  for (const [into, column, , young] of tables) {
    const [table = ''] = into.split(' ');
    const { rows } = await database.sql.query<{ at: Date }>(`select ${column} as at from ${table}`);
    expect([table, rows.map(({ at }) => at)]).toEqual([table, [young]]);
  }
  await db.destroy();
});

test('a new reconciliation deletes those of more than 90 days ago, with their differences', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  const ids = createIds({ clock: wallClock, random: randomBytes });
  const now = wallClock.now();
  const startAt = (daysAgo: number) =>
    db
      .transaction()
      .execute((tx) => insertReconciliation({ tx, ids, now: instant(now - daysAgo * 86_400_000) }, 'schedule'));
  await startAt(91);
  await database.sql.run`insert into reconciliation_differences (reconciliation_id, vault_id, kind, code, subject,
       books, ledger)
       select id, id, 'correctness', '', '', '', '' from reconciliations`;
  const kept = [await startAt(89), await startAt(0)];
  const rows = await database.sql.run<{ id: string }>`select id from reconciliations order by started_at`;
  expect(rows.map(({ id }) => id)).toEqual(kept);
  expect(await database.sql.run`select 1 from reconciliation_differences`).toEqual([]);
  await db.destroy();
});

test('rows whose time has passed are deleted ten thousand at once, the oldest first', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  await database.sql.run`insert into login_nonces (nonce, wallet, expires_at)
     select 'n' || number, '', now() - number * interval '1 second' from generate_series(-5, 10004) number`;
  expect(await deleteExpiredNonces(db, new Date())).toBe(10_000);
  expect(await deleteExpiredNonces(db, new Date())).toBe(5);
  const rows = await database.sql.run`select count(*)::int as left from login_nonces`;
  expect(rows).toEqual([{ left: 5 }]);
  await db.destroy();
});
