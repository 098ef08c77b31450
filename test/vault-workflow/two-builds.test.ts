import { expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { wallClock, secondsAfter } from '../../src/platform/units/time.ts';
import type { ProposalActivities, ProposalStage, TallyActivities } from '../../src/platform/temporal/activity-types.ts';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { currentBuild, setCurrentVersion } from '../../src/platform/temporal/deployment.ts';
import { versioned } from '../../worker/versioning.ts';
import { sharedStack } from '../stack/shared-stack.ts';
import { unusedNamespace } from '../stack/test-database.ts';
import { until } from '../stack/until.ts';
import { locked, vaultActivities } from './run-vault.ts';

const PATIENCE_SECONDS = 30;
const taskQueue = 'two-builds';
const deploymentName = 'vaults';
const [anHourAgo, inAnHour] = [-3600, 3600].map((seconds) => secondsAfter(wallClock.now(), seconds));

test('a vault and a proposal that a worker of one build has begun continue with one of the next build, and end', async () => {
  await using cleanup = new AsyncDisposableStack();
  const client = await connect(cleanup);
  let isOver = false;
  const startWorker = (buildId: string) =>
    runWorker(
      cleanup,
      client,
      buildId,
      activitiesOf(() => isOver),
    );
  const release = (buildId: string) => setCurrentVersion(client, { deploymentName, buildId }, PATIENCE_SECONDS);
  const start = (workflowId: 'vault' | 'proposal', input: object) =>
    client.workflow.start(workflowId, { workflowId, taskQueue, args: [{ ...input, clockOffsetMs: 0 }] });
  const [vault, proposal] = [await start('vault', { vaultId: '1' }), await start('proposal', { proposalId: '2' })];

  await startWorker('old');
  await release('old');
  await until(() => hasBegun(client, 'vault', 'depositsAreFinal'), { what: 'the vault to wait' });
  await until(() => hasBegun(client, 'proposal', 'anchorTally'), { what: 'the proposal to wait' });
  await startWorker('new');
  // The second is that of another container that starts.
  for (const _ of [1, 2]) await release('new');
  expect(await currentBuild(client, deploymentName)).toBe('new');
  // The server tells its task queues a moment after it has told us.
  for (const handle of [vault, proposal]) {
    const next = async () => {
      await handle.signal('transactionChanged');
      return (await buildsOf(client, handle.workflowId)).at(-1) === 'new';
    };
    await until(next, { what: `the new build to continue the ${handle.workflowId}` });
  }
  isOver = true;
  for (const handle of [vault, proposal]) await handle.signal('transactionChanged');

  expect(await vault.result()).toEqual({ reason: 'liquidated' });
  expect(await proposal.result()).toBe('executed');
  for (const workflowId of ['vault', 'proposal']) {
    const builds = await buildsOf(client, workflowId);
    expect([...new Set(builds)]).toEqual(['old', 'new']);
    expect(builds).toEqual(builds.toSorted().toReversed());
  }
});

test('a build without a worker is not made the current one', async () => {
  await using cleanup = new AsyncDisposableStack();
  const client = await connect(cleanup);
  await runWorker(
    cleanup,
    client,
    'there',
    activitiesOf(() => false),
  );
  await setCurrentVersion(client, { deploymentName, buildId: 'there' }, PATIENCE_SECONDS);
  await expect(setCurrentVersion(client, { deploymentName, buildId: 'missing' }, 0)).rejects.toThrow();
  expect(await currentBuild(client, deploymentName)).toBe('there');
});

async function connect(cleanup: AsyncDisposableStack): Promise<Client> {
  const { temporalAddress: address } = sharedStack();
  const client = connectTemporal({ address, namespace: await unusedNamespace(), taskQueue });
  cleanup.defer(() => client.connection.close());
  return client;
}

async function runWorker(cleanup: AsyncDisposableStack, client: Client, buildId: string, activities: object) {
  const { temporalAddress: address, workflowBundle: codePath } = sharedStack();
  const connection = await NativeConnection.connect({ address });
  cleanup.defer(() => connection.close());
  const { namespace } = client.options;
  const options = { connection, namespace, taskQueue, workflowBundle: { codePath }, activities };
  const worker = await Worker.create({ ...options, ...versioned({ deploymentName, buildId }) });
  const running = worker.run();
  cleanup.defer(async () => {
    worker.shutdown();
    await running;
  });
}

/** A vault that waits for its deposits and a proposal that waits for its execution, until that is over. */
function activitiesOf(isOver: () => boolean): object {
  const passed = { stage: 'passed', lockEndsAt: anHourAgo!, executionEndsAt: inAnHour!, isSent: false } as const;
  const stage = (): Promise<ProposalStage> =>
    Promise.resolve(isOver() ? { stage: 'ended', outcome: 'executed' } : passed);
  const proposal: ProposalActivities & TallyActivities = {
    readStage: stage,
    expireDraft: stage,
    closeVoting: stage,
    endExecution: stage,
    releaseStakes: () => Promise.resolve(),
    anchorTally: () => Promise.resolve(),
  };
  const vault = vaultActivities(inAnHour!, {
    depositsAreFinal: () => Promise.resolve(isOver() || null),
    lockVault: () => Promise.resolve({ ...locked, isTerminating: true }),
    advanceTermination: () => Promise.resolve({ step: 'ended', prepares: false, until: null, reason: 'liquidated' }),
  });
  return { ...vault, ...proposal };
}

async function eventsOf(client: Client, workflowId: string) {
  return (await client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
}

async function hasBegun(client: Client, workflowId: string, activity: string): Promise<boolean> {
  const events = await eventsOf(client, workflowId);
  return events.some((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === activity);
}

/** The builds that have done the workflow's tasks, the oldest first. */
async function buildsOf(client: Client, workflowId: string): Promise<string[]> {
  const events = await eventsOf(client, workflowId);
  return events.flatMap((event) => event.workflowTaskCompletedEventAttributes?.deploymentVersion?.buildId ?? []);
}
