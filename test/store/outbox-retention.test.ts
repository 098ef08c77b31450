import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openDatabase } from '../../src/store/database.ts';
import { deleteSentMessages } from '../../src/store/workflow-outbox.ts';
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
