import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { wallClock } from '../../src/domain/units/clock.ts';
import { createIds } from '../../src/domain/units/ids.ts';
import { openDatabase } from '../../src/store/database.ts';
import { productionClock } from '../../src/store/unit-of-work.ts';
import { enqueueWorkflowMessage } from '../../src/store/workflow-outbox.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { createOutboxRelay } from '../../src/temporal/workflow-outbox-relay.ts';
import { vaultWorkflowId } from '../../src/temporal/workflow-ids.ts';
import { namespaceWithoutWorker, sharedStack } from '../stack/shared-stack.ts';
import { testDatabase } from '../stack/test-database.ts';

const ids = createIds({ clock: wallClock, random: randomBytes });
const start = { kind: 'start', workflow: 'vault', vaultId: 'none' } as const;
const signal = { kind: 'signal', signal: 'transactionChanged' } as const;

test('messages that Temporal refuses do not block the messages of other workflows', async () => {
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
  // Temporal refuses ids this long, as it refuses signals beyond its limit.
  // More than one batch, but few enough that all are tried within the 5 s of one delivery.
  const refused = Array.from({ length: 55 }, (_, number) => vaultWorkflowId(`${number}`.padStart(1200, 'x')));
  const accepted = Array.from({ length: 3 }, () => vaultWorkflowId(ids.next()));
  await db.transaction().execute(async (tx) => {
    for (const workflowId of [...refused, ...refused]) await enqueueWorkflowMessage({ tx, ids }, workflowId, start);
    for (const workflowId of accepted) await enqueueWorkflowMessage({ tx, ids }, workflowId, signal);
  });

  await expect(outboxRelay.deliverAll()).rejects.toThrow(/^could not send messages to vault-x+\d+ and 54 others: .+/);

  const { rows } = await database.sql.query<{ id: string }>(
    'select workflow_id as id from workflow_notices where sent_at is not null order by id',
  );
  expect(rows.map(({ id }) => id)).toEqual(accepted.toSorted());
  const { rows: waiting } = await database.sql.query('select 1 from workflow_notices where sent_at is null');
  expect(waiting).toHaveLength(110);
});
