import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { createWorkflowTime } from '../../embedded/dev/workflow-time.ts';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { unusedNamespace } from '../stack/test-database.ts';
import { sharedStack } from '../stack/shared-stack.ts';
import { until } from '../stack/until.ts';
import type { busyBetweenTimers } from './busy-workflow.ts';

test('a workflow that is busy when its time skip ends does not skip to its next timer', async () => {
  const address = sharedStack().temporalAddress;
  const namespace = await unusedNamespace();
  const taskQueue = 'busy';
  const connection = await NativeConnection.connect({ address });
  const workflowsPath = fileURLToPath(new URL('./busy-workflow.ts', import.meta.url));
  const done = Promise.withResolvers<undefined>();
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle: await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') }),
    activities: { work: () => done.promise },
  });
  const client = connectTemporal({ address, namespace, taskQueue });
  const workflowId = 'busy';

  await worker.runUntil(async () => {
    const input = { clockOffsetMs: 0 };
    const run = await client.workflow.start<typeof busyBetweenTimers>('busyBetweenTimers', {
      workflowId,
      taskQueue,
      args: [input],
    });
    const timersStarted = async () => {
      const { events } = await run.fetchHistory();
      return (events ?? []).filter(({ timerStartedEventAttributes: timer }) => timer).length;
    };
    await until(async () => (await timersStarted()) === 1, { what: 'the first timer' });

    try {
      const time = createWorkflowTime(client);
      await time.moveTo(workflowId, 2500);
      expect(await time.workInProgress(workflowId)).toEqual(['busy: work, attempt 1']);
    } finally {
      done.resolve(undefined);
    }

    await until(async () => (await timersStarted()) === 2, { what: 'the second timer' });
    const { status, raw } = await run.describe();
    expect(raw.workflowExtendedInfo?.timeSkippingInfo?.effectiveConfig?.enabled ?? false).toBe(false);
    expect(status.name).toBe('RUNNING');
    await run.terminate();
  });
  await client.connection.close();
  await connection.close();
});
