import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { expect, test } from '@jest/globals';
import { wallClock, instant, secondsAfter } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { productionClock } from '../../src/platform/database/unit-of-work.ts';
import { enqueueWorkflowMessage } from '../../src/platform/temporal/workflow-outbox.ts';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { searchAttributes } from '../../src/platform/temporal/search-attributes.ts';
import type { WorkflowMessage } from '../../src/platform/temporal/messages.ts';
import { createOutboxRelay } from '../../src/platform/temporal/workflow-outbox-relay.ts';
import { transactionWorkflowId, vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { recordTransaction } from '../governance/record-transaction.ts';
import { namespaceWithoutWorker, sharedStack } from '../stack/shared-stack.ts';
import { testDatabase } from '../stack/test-database.ts';

const ids = createIds({ clock: wallClock, random: randomBytes });
const start = { kind: 'start', workflow: 'vault', vaultId: 'none' } as const;
const signal = { kind: 'signal', signal: 'transactionChanged' } as const;

/** A relay to a namespace where no worker takes tasks. */
function openRelay(databaseUrl: string) {
  const db = openDatabase(databaseUrl, () => undefined, 2);
  const { temporalAddress: address } = sharedStack();
  const client = connectTemporal({ address, namespace: namespaceWithoutWorker, taskQueue: 'vaults' });
  const [clock, onDelay] = [productionClock(wallClock), () => undefined];
  const outboxRelay = createOutboxRelay({ db, clock, client, taskQueue: 'vaults', network: 'preview', onDelay });
  return {
    db,
    client,
    outboxRelay,
    async [Symbol.asyncDispose]() {
      await client.connection.close();
      await db.destroy();
    },
  };
}

test('a transaction that waits for signatures costs no workflow task before its first signal, and is not started again by one after its end', async () => {
  await using database = await testDatabase();
  await using relay = openRelay(database.url);
  const { db, client, outboxRelay } = relay;
  const transactionId = ids.next();
  const workflowId = transactionWorkflowId(transactionId);
  const signing = { kind: 'invest', expiresAt: secondsAfter(wallClock.now(), 7200) } as const;
  const workflow = client.workflow.getHandle(workflowId);
  const deliver = async (message: WorkflowMessage) => {
    await db.transaction().execute((tx) => enqueueWorkflowMessage({ tx, ids }, workflowId, message));
    expect(await outboxRelay.deliverAll()).toBe(1);
    const { status, historyLength, raw } = await workflow.describe();
    return { status: status.name, historyLength, hasTask: Boolean(raw.pendingWorkflowTask) };
  };

  const begun = await deliver({ kind: 'start', workflow: 'transaction', transactionId, vaultId: ids.next(), signing });
  expect(begun).toEqual({ status: 'RUNNING', historyLength: 1, hasTask: false });
  expect(await deliver(signal)).toMatchObject({ status: 'RUNNING', hasTask: true });
  await workflow.terminate();
  expect(await deliver(signal)).toMatchObject({ status: 'TERMINATED' });
});

test('a transaction whose start another process holds is found by its vault when a signal starts it', async () => {
  await using database = await testDatabase();
  await using relay = openRelay(database.url);
  const { db, client, outboxRelay } = relay;
  const vaultId = ids.next();
  await database.sql.run`alter table chain_transactions drop constraint chain_transactions_vault_id_fkey`;
  await recordTransaction(database, vaultId, 'hash', 'invest');
  const { id: transactionId } = await db.selectFrom('chain_transactions').select('id').executeTakeFirstOrThrow();
  const workflowId = transactionWorkflowId(transactionId);
  await db.transaction().execute((tx) =>
    enqueueWorkflowMessage({ tx, ids }, workflowId, {
      kind: 'start',
      workflow: 'transaction',
      transactionId,
      vaultId,
    }),
  );
  await db.transaction().execute(async (holder) => {
    await holder.selectFrom('workflow_notices').select('id').forUpdate().execute();
    await db.transaction().execute((tx) => enqueueWorkflowMessage({ tx, ids }, workflowId, signal));
    await using other = openRelay(database.url);
    expect(await other.outboxRelay.deliverAll()).toBe(1);
  });
  expect(await outboxRelay.deliverAll()).toBe(1);
  const { typedSearchAttributes } = await client.workflow.getHandle(workflowId).describe();
  expect(typedSearchAttributes.get(searchAttributes.vaultId)).toBe(vaultId);
  await client.workflow.getHandle(workflowId).terminate();
});

test('messages that Temporal refuses do not block the messages of other workflows', async () => {
  await using database = await testDatabase();
  await using relay = openRelay(database.url);
  const { db, outboxRelay } = relay;
  // Temporal refuses ids this long, as it refuses signals beyond its limit.
  // More than one batch, but few enough that all are tried within the 5 s of one delivery.
  const refused = Array.from({ length: 55 }, (_, number) => vaultWorkflowId(`${number}`.padStart(1200, 'x')));
  const accepted = Array.from({ length: 3 }, () => vaultWorkflowId(ids.next()));
  await db.transaction().execute(async (tx) => {
    for (const workflowId of [...refused, ...refused]) await enqueueWorkflowMessage({ tx, ids }, workflowId, start);
    for (const workflowId of accepted) await enqueueWorkflowMessage({ tx, ids }, workflowId, signal);
  });

  await expect(outboxRelay.deliverAll()).rejects.toThrow(/^could not send messages to vault-x+\d+ and 54 others: .+/);

  const rows = await database.sql.run<{ id: string }>`select workflow_id as id from workflow_notices
      where sent_at is not null order by id`;
  expect(rows.map(({ id }) => id)).toEqual(accepted.toSorted());
  const waiting = await database.sql.run`select 1 from workflow_notices where sent_at is null`;
  expect(waiting).toHaveLength(110);
});

test('a message of which the id or the text was damaged stops no other message', async () => {
  await using database = await testDatabase();
  await using relay = openRelay(database.url);
  const { db, outboxRelay } = relay;
  const [nobody, mute, other] = ['tx-damaged', transactionWorkflowId(ids.next()), vaultWorkflowId(ids.next())] as const;
  await db.transaction().execute(async (tx) => {
    for (const workflowId of [nobody, mute, other]) await enqueueWorkflowMessage({ tx, ids }, workflowId, signal);
  });
  await database.sql.run`update workflow_notices set message = 'null' where workflow_id = ${mute}`;

  await expect(outboxRelay.deliverAll()).rejects.toThrow(`could not send messages to ${mute} and 0 others`);
  const rows = await database.sql.run<{ id: string }>`select workflow_id as id from workflow_notices
      where sent_at is null`;
  expect(rows).toEqual([{ id: mute }]);
});

test('a message that was damaged keeps no other message from its own workflow', async () => {
  await using database = await testDatabase();
  await using relay = openRelay(database.url);
  const { db, client, outboxRelay } = relay;
  const vaultId = ids.next();
  const workflowId = vaultWorkflowId(vaultId);
  const messages = [signal, signal, signal, { ...start, vaultId, again: true }] as const;
  for (const message of messages) {
    await db.transaction().execute((tx) => enqueueWorkflowMessage({ tx, ids }, workflowId, message));
    await pause(2);
  }
  const rows = await database.sql.run<{ id: string }>`select id from workflow_notices order by id`;
  for (const [index, damaged] of ['null', '{}'].entries())
    await database.sql.run`update workflow_notices set message = ${damaged} where id = ${rows[index + 1]?.id}`;

  await expect(outboxRelay.deliverAll()).rejects.toThrow(`could not send messages to ${workflowId} and 0 others`);
  const { status } = await client.workflow.getHandle(workflowId).describe();
  expect(status.name).toBe('RUNNING');
  const unsent = await database.sql.query('select id from workflow_notices where sent_at is null order by id');
  expect(unsent.rows).toEqual(rows.slice(1, 3));
  await client.workflow.getHandle(workflowId).terminate();
});

test('messages that were stored while the clock of Postgres was ahead are sent once it no longer is', async () => {
  await using database = await testDatabase();
  await using relay = openRelay(database.url);
  const { db, outboxRelay } = relay;
  const workflowId = vaultWorkflowId(ids.next());
  await db.transaction().execute((tx) => enqueueWorkflowMessage({ tx, ids }, workflowId, signal));
  await database.sql.run`update workflow_notices set created_at = created_at + interval '1 day'`;
  expect(await outboxRelay.deliverAll({ minAgeMs: 2_000 })).toBe(1);
});

test('messages to many workflows that Temporal answers nothing for keep those of others waiting for one delivery only', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 2);
  await using _open = { [Symbol.asyncDispose]: () => db.destroy() };
  const asked: string[] = [];
  let isHanging = true;
  // As when one shard of several does not answer.
  const client = {
    withDeadline: (deadline: number, call: () => Promise<void>) =>
      Promise.race([
        call(),
        pause(deadline - Date.now(), null, { ref: false }).then(() => Promise.reject(new Error('late'))),
      ]),
    workflow: {
      getHandle: (id: string) => ({
        signal: () => {
          asked.push(id);
          return isHanging && hanging.includes(id) ? new Promise(() => undefined) : Promise.resolve();
        },
      }),
    },
  } as unknown as Client;
  const [clock, onDelay] = [productionClock(wallClock), () => undefined];
  const outboxRelay = createOutboxRelay({ db, clock, client, taskQueue: 'vaults', network: 'preview', onDelay });
  // As many as one delivery takes at once.
  const hanging: readonly string[] = Array.from({ length: 50 }, () => vaultWorkflowId(ids.next()));
  const other = vaultWorkflowId(ids.next());
  // Each a millisecond later, as ids of one millisecond have no order.
  let now = wallClock.now();
  const ordered = createIds({ clock: { now: () => (now = instant(now + 1)) }, random: randomBytes });
  await db.transaction().execute(async (tx) => {
    for (const id of [...hanging, other])
      await enqueueWorkflowMessage({ tx, ids: ordered }, id as typeof other, signal);
  });

  await expect(outboxRelay.deliverAll()).rejects.toThrow('late');
  expect(asked).not.toContain(other);
  expect(await outboxRelay.deliverAll()).toBe(1);
  expect(asked.filter((id) => id === other)).toHaveLength(1);

  // It has come to the end, so the next one begins with them again.
  isHanging = false;
  expect(await outboxRelay.deliverAll()).toBe(hanging.length);
});
