import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { wallClock } from '../../src/domain/units/clock.ts';
import { createIds } from '../../src/domain/units/ids.ts';
import { openDatabase } from '../../src/store/database.ts';
import { productionClock } from '../../src/store/unit-of-work.ts';
import { enqueueWorkflowMessage } from '../../src/store/workflow-outbox.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { createOutboxRelay } from '../../src/temporal/outbox-relay.ts';
import { vaultWorkflowId } from '../../src/temporal/workflow-ids.ts';
import { namespaceWithoutWorker, sharedStack } from '../stack/shared-stack.ts';
import { testDatabase } from '../stack/test-database.ts';

const ids = createIds({ clock: wallClock, random: randomBytes });
const start = { kind: 'start', workflow: 'vault', vaultId: 'none' } as const;
const woken = { kind: 'signal', signal: 'transactionChanged' } as const;

test('workflows that Temporal refuses to tell anything keep no others from being told', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 2);
  const { temporalAddress: address } = sharedStack();
  const client = connectTemporal({ address, namespace: namespaceWithoutWorker, taskQueue: 'vaults' });
  await using _open = {
    async [Symbol.asyncDispose]() {
      await client.connection.close();
      await db.destroy();
    },
  };
  const [clock, onDelay] = [productionClock(wallClock), () => undefined];
  const outboxRelay = createOutboxRelay({ db, clock, client, taskQueue: 'vaults', network: 'preview', onDelay });
  // No workflow can be started with an id this long, as none can be told more than its limit of signals.
  // More than one batch of them, and no more: all have to be tried in the 5 s that a delivery may take.
  const deaf = Array.from({ length: 55 }, (_, number) => vaultWorkflowId(`${number}`.padStart(1200, 'x')));
  const good = Array.from({ length: 3 }, () => vaultWorkflowId(ids.next()));
  await db.transaction().execute(async (tx) => {
    for (const workflowId of [...deaf, ...deaf]) await enqueueWorkflowMessage({ tx, ids }, workflowId, start);
    for (const workflowId of good) await enqueueWorkflowMessage({ tx, ids }, workflowId, woken);
  });

  await expect(outboxRelay.deliverAll()).rejects.toThrow(/^could not send messages to vault-x+\d+ and 54 others: .+/);

  const { rows } = await database.sql.query<{ id: string }>(
    'select workflow_id as id from workflow_notices where sent_at is not null order by id',
  );
  expect(rows.map(({ id }) => id)).toEqual(good.toSorted());
  const { rows: waiting } = await database.sql.query('select 1 from workflow_notices where sent_at is null');
  expect(waiting).toHaveLength(110);
});
