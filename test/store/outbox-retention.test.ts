import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openDatabase } from '../../src/store/database.ts';
import { deleteExpiredNonces } from '../../src/store/nonces.ts';
import { deleteOldEvents, lastEventNumber } from '../../src/store/numbered-events.ts';
import { deleteSentMessages } from '../../src/store/workflow-outbox.ts';
import type { EventFeed } from '../../src/events/event-feed.ts';
import { startOf } from '../../src/live/start-of.ts';
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
  const { rows } = await database.sql.query<{ id: string }>(
    'select workflow_id as id from workflow_notices order by 1',
  );
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
    const { rows } = await database.sql.query<{ seq: string }>('select seq from outbox order by seq');
    return rows.map(({ seq }) => Number(seq));
  };
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  const feed = { position: () => 5 } as EventFeed;

  await deleteOldEvents(db, daysAgo(3));
  expect(await kept()).toEqual([3, 4, 5]);
  for (const after of [0, 2, 3, 5]) expect(await startOf(db, feed, after)).toBe(after);
  await expect(startOf(db, feed, 1)).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    details: { errors: [{ field: 'after', message: 'Events up to number 2 are no longer kept' }] },
  });

  // The next event is numbered after the last one.
  await deleteOldEvents(db, daysAgo(0));
  expect([await kept(), await lastEventNumber(db)]).toEqual([[5], 5]);
  await db.destroy();
});

test('rows whose time has passed are deleted ten thousand at once, the oldest first', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  await database.sql.query(
    `insert into login_nonces (nonce, wallet, expires_at)
     select 'n' || number, '', now() - number * interval '1 second' from generate_series(-5, 10004) number`,
  );
  expect(await deleteExpiredNonces(db, new Date())).toBe(10_000);
  expect(await deleteExpiredNonces(db, new Date())).toBe(5);
  const { rows } = await database.sql.query('select count(*)::int as left from login_nonces');
  expect(rows).toEqual([{ left: 5 }]);
  await db.destroy();
});
