import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { type Db, openDatabase } from '../../src/platform/database/database.ts';
import { productionClock } from '../../src/platform/database/unit-of-work.ts';
import { enqueueWorkflowMessage } from '../../src/platform/temporal/workflow-outbox.ts';
import { createOutboxRelay } from '../../src/platform/temporal/workflow-outbox-relay.ts';
import { vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { testDatabase } from '../stack/test-database.ts';
import { runVault } from './run-vault.ts';
import { until } from '../stack/until.ts';

test('a failed vault that is about to end, and is asked to continue, looks once more for what it has to return', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 2);
  await using _open = { [Symbol.asyncDispose]: () => db.destroy() };
  const ending = Promise.withResolvers<undefined>();
  const asked = Promise.withResolvers<undefined>();
  const steps: string[] = [];
  await using running = await runVault(instant(wallClock.now() + 3_600_000), {
    planSettlement: () => Promise.resolve({ reason: 'no_assets' }),
    nextRefund() {
      steps.push('refund');
      return Promise.resolve({ kind: 'done' });
    },
    async terminateVault() {
      steps.push('terminate');
      ending.resolve(undefined);
      await asked.promise;
      return 'terminated';
    },
  });
  await ending.promise;

  const { vaultId } = running;
  const message = { kind: 'start', workflow: 'vault', vaultId, again: true } as const;
  await db
    .transaction()
    .execute((tx) => enqueueWorkflowMessage({ tx, ids: { next: randomUUID } }, vaultWorkflowId(vaultId), message));
  const relay = relayOf(db, running);
  expect(await relay.deliverAll()).toBe(1);
  asked.resolve(undefined);

  expect(await running.result()).toEqual({ reason: 'no_assets' });
  expect(steps).toEqual(['refund', 'terminate', 'refund', 'terminate']);
});

function relayOf(db: Db, { client, taskQueue }: Pick<Awaited<ReturnType<typeof runVault>>, 'client' | 'taskQueue'>) {
  const clock = productionClock(wallClock);
  return createOutboxRelay({ db, clock, client, taskQueue, network: 'preview', onDelay: () => undefined });
}

test('signals that wait together for a vault reach it as one, so that thousands do not fill its history', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 2);
  await using _open = { [Symbol.asyncDispose]: () => db.destroy() };
  await using running = await runVault(instant(wallClock.now() + 3_600_000), {});
  const workflowId = vaultWorkflowId(running.vaultId);
  await db.transaction().execute(async (tx) => {
    for (const signal of [...Array<'transactionChanged'>(40).fill('transactionChanged'), 'pricesChanged'] as const)
      await enqueueWorkflowMessage({ tx, ids: { next: randomUUID } }, workflowId, { kind: 'signal', signal });
  });
  expect(await relayOf(db, running).deliverAll()).toBe(41);
  // While a workflow task runs, signals wait outside of the history.
  const received = await until(
    async () => {
      const { events } = await running.client.workflow.getHandle(workflowId).fetchHistory();
      const names = (events ?? []).flatMap((event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? []);
      return names.includes('pricesChanged') && names.includes('transactionChanged') && names;
    },
    { what: 'the signals to be in the history', deadlineMs: 30_000 },
  );
  expect(received.toSorted()).toEqual(['pricesChanged', 'transactionChanged']);
});
