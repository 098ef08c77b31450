import { NativeConnection, Worker } from '@temporalio/worker';
import { createWorkflowTime } from '../../embedded/dev/workflow-time.ts';
import type { Instant } from '../../src/domain/units/instant.ts';
import type {
  PreparationActivities,
  TerminationActivities,
  TransactionActivities,
  VaultActivities,
  VaultPlanningActivities,
} from '../../src/temporal/activity-types.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { vaultWorkflowId } from '../../src/temporal/workflow-ids.ts';
import { unusedNamespace } from '../stack/test-database.ts';
import { sharedStack } from '../stack/shared-stack.ts';

type Activities = VaultActivities &
  VaultPlanningActivities &
  PreparationActivities &
  TransactionActivities &
  TerminationActivities;

const vaultId = '00000000-0000-4000-8000-000000000001';

/** A vault without windows that settles and whose settlement is complete, unless `changed` says otherwise. */
function activitiesOf(settlesBy: Instant, changed: Partial<Activities>): Activities {
  const landed = (transactionId: string) => () => Promise.resolve({ transactionId });
  return {
    readSchedule: () => Promise.resolve({ turns: [], settlesBy, status: 'ACTIVE' }),
    readFailure: () => Promise.resolve({ status: 'ACTIVE', reason: null }),
    turnWindow: () => Promise.resolve(null),
    depositsAreFinal: () => Promise.resolve(true),
    priceAssets: () => Promise.resolve(true),
    planSettlement: () => Promise.resolve(null),
    holdForFailures: () => Promise.resolve(),
    failVault: () => Promise.resolve(undefined),
    lockVault: () => Promise.resolve({ status: 'LOCKED', undone: false }),
    terminateVault: () => Promise.resolve('terminated'),
    prepareCreation: landed('creation'),
    prepareMint: landed('mint'),
    nextDelivery: () => Promise.resolve({ kind: 'done' }),
    prepareDelivery: () => Promise.resolve(null),
    prepareLiquidity: landed('liquidity'),
    nextRefund: () => Promise.resolve({ kind: 'done' }),
    prepareRefund: () => Promise.resolve(null),
    advanceTermination: () => Promise.reject(new Error('the vault does not end')),
    prepareTermination: () => Promise.resolve(null),
    submitTransaction: () => Promise.resolve(undefined),
    readTransaction: () => Promise.resolve({ state: 'confirmed', expiresAt: settlesBy }),
    ...changed,
  };
}

/** Runs the workflow of a vault with activities of the test's own, as a worker would. */
export async function runVault(settlesBy: Instant, changed: Partial<Activities>) {
  const address = sharedStack().temporalAddress;
  const namespace = await unusedNamespace();
  const taskQueue = 'vaults-of-this-test';
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle: { codePath: sharedStack().workflowBundle },
    activities: activitiesOf(settlesBy, changed),
  });
  const running = worker.run();
  const client = connectTemporal({ address, namespace, taskQueue });
  const workflowId = vaultWorkflowId(vaultId);
  await client.workflow.start('vault', { workflowId, taskQueue, args: [{ vaultId, clockOffsetMs: 0 }] });
  const handle = client.workflow.getHandle(workflowId);
  const time = createWorkflowTime(client);
  return {
    /** For messages to the workflow. */
    client,
    taskQueue,
    vaultId,
    /** Why the vault ended. */
    result: () => handle.result() as Promise<{ reason: string }>,
    /** What an operator reads in the Temporal UI. */
    async details(): Promise<string> {
      const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
      return currentDetails;
    },
    historyLength: async (runId: string) =>
      (await client.workflow.getHandle(workflowId, runId).describe()).historyLength,
    runId: async () => (await handle.describe()).runId,
    /** Whether no task of the workflow waits or is under way. */
    hasReadSignals: async () => !(await handle.describe()).raw.pendingWorkflowTask,
    /** Moves the workflow's time to this many milliseconds ahead of the wall clock. */
    moveTo: (offsetMs: number) => time.moveTo(workflowId, offsetMs),
    async [Symbol.asyncDispose]() {
      await handle.terminate().catch(() => undefined);
      worker.shutdown();
      await running;
      await client.connection.close();
      await connection.close();
    },
  };
}
