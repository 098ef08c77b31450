import { expect, test } from '@jest/globals';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { ReconciliationActivities, UnsolicitedActivities } from '../../src/platform/temporal/activity-types.ts';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { eventsBeforeContinueAsNew, sharedStack } from '../stack/shared-stack.ts';
import { unusedNamespace } from '../stack/test-database.ts';

/** Each makes six events. */
const PAGES = 120;

test('a scan and a reconciliation of many pages continue as new between two pages, and take each page once', async () => {
  const namespace = await unusedNamespace();
  const [address, taskQueue] = [sharedStack().temporalAddress, 'jobs'];
  const connection = await NativeConnection.connect({ address });
  const client = connectTemporal({ address, namespace, taskQueue });
  const scanned: (string | null)[] = [];
  const compared: string[] = [];
  let reports = 0;
  const activities: UnsolicitedActivities & ReconciliationActivities = {
    scanForUnsolicited({ after }) {
      scanned.push(after);
      return Promise.resolve(scanned.length === PAGES ? null : `page ${scanned.length}`);
    },
    startReconciliation() {
      reports += 1;
      return Promise.resolve({ reconciliationId: `report ${reports}` });
    },
    reconcileNextVaults({ reconciliationId }) {
      compared.push(reconciliationId);
      return Promise.resolve({ isDone: compared.length === PAGES });
    },
  };
  const workflowBundle = { codePath: sharedStack().workflowBundle };
  const worker = await Worker.create({ connection, namespace, taskQueue, workflowBundle, activities });

  const jobs = ['unsolicitedScan', 'reconciliation'];
  const runs = await worker.runUntil(
    Promise.all(
      jobs.map(async (workflowId) => {
        const first = await client.workflow.start(workflowId, { workflowId, taskQueue });
        await first.result();
        const last = await client.workflow.getHandle(workflowId).describe();
        const { historyLength } = await client.workflow.getHandle(workflowId, first.firstExecutionRunId).describe();
        return {
          isNew: last.runId !== first.firstExecutionRunId,
          isBounded: historyLength < 1.5 * eventsBeforeContinueAsNew,
        };
      }),
    ),
  );
  await client.connection.close();
  await connection.close();

  expect(runs).toEqual(jobs.map(() => ({ isNew: true, isBounded: true })));
  expect(scanned).toEqual([null, ...Array.from({ length: PAGES - 1 }, (_, index) => `page ${index + 1}`)]);
  expect(compared).toEqual(Array<string>(PAGES).fill('report 1'));
});
