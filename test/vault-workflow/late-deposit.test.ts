import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { wallClock } from '../../src/domain/units/clock.ts';
import { instant } from '../../src/domain/units/instant.ts';
import { openDatabase } from '../../src/store/database.ts';
import { productionClock } from '../../src/store/unit-of-work.ts';
import { enqueueWorkflowMessage } from '../../src/store/workflow-outbox.ts';
import { createOutboxRelay } from '../../src/temporal/workflow-outbox-relay.ts';
import { vaultWorkflowId } from '../../src/temporal/workflow-ids.ts';
import { testDatabase } from '../stack/test-database.ts';
import { runVault } from './run-vault.ts';

test('a failed vault that is about to end, and is asked to go on, looks once more for what it has to return', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 2);
  await using _open = { [Symbol.asyncDispose]: () => db.destroy() };
  const ending = Promise.withResolvers<undefined>();
  const asked = Promise.withResolvers<undefined>();
  const steps: string[] = [];
  await using running = await runVault(instant(wallClock.now() + 3_600_000), {
    planSettlement: () => Promise.resolve({ reason: 'no_assets' }),
    prepareRefund() {
      steps.push('refund');
      return Promise.resolve(null);
    },
    async terminateVault() {
      steps.push('terminate');
      ending.resolve(undefined);
      await asked.promise;
      return 'terminated';
    },
  });
  await ending.promise;

  const { client, taskQueue, vaultId } = running;
  const message = { kind: 'start', workflow: 'vault', vaultId, again: true } as const;
  const onDelay = () => undefined;
  await db
    .transaction()
    .execute((tx) => enqueueWorkflowMessage({ tx, ids: { next: randomUUID } }, vaultWorkflowId(vaultId), message));
  const relay = createOutboxRelay({
    db,
    clock: productionClock(wallClock),
    client,
    taskQueue,
    network: 'preview',
    onDelay,
  });
  expect(await relay.deliverAll()).toBe(1);
  asked.resolve(undefined);

  expect(await running.result()).toEqual({ reason: 'no_assets' });
  expect(steps).toEqual(['refund', 'terminate', 'refund', 'terminate']);
});
