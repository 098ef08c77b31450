import { NativeConnection, Worker } from '@temporalio/worker';
import { wallClock, secondsAfter } from '../../../src/platform/units/time.ts';
import type { TransactionState } from '../../../src/transactions/rules.ts';
import type { AnchorActivities, LedgerActivities, LedgerFollowing, RefreshedPart, TransactionActivities, RotationStage } from '../../../src/platform/temporal/activity-types.ts';
import type { TransactionInput } from '../../../src/platform/temporal/messages.ts';
import {
  anchorSubmitterWorkflowId,
  ledgerFollowerId,
  ledgerTaskQueue,
  rotationWorkflowId,
  transactionWorkflowId,
} from '../../../src/platform/temporal/workflow-ids.ts';
import { sharedStack } from '../../stack/shared-stack.ts';
import { until } from '../../stack/until.ts';
import { inState } from '../../vault-workflow/run-vault.ts';
import { endBySignals, type Life, returning, shows } from './life.ts';

const inSeconds = (seconds: number) => secondsAfter(wallClock.now(), seconds);
const HOUR = 3600;
const id = '00000000-0000-4000-8000-000000000003';

function transaction(
  states: readonly TransactionState[],
  input: Partial<TransactionInput> = {},
  expiresAt = inSeconds(HOUR),
): Life {
  const readTransaction: TransactionActivities['readTransaction'] = returning(
    ...states.map((state) => inState(state, expiresAt)),
  );
  return {
    type: 'transaction',
    workflowId: transactionWorkflowId(id),
    input: { transactionId: id, clockOffsetMs: 0, ...input },
    activities: { readTransaction, submitTransaction: returning({ state: 'submitted', error: null }) },
    drive: endBySignals('witnessed'),
  };
}

const signing = (expiresAt = inSeconds(HOUR)) => ({ signing: { kind: 'invest', expiresAt } as const });
const unsigned = ['awaiting_signatures', 'awaiting_signatures'] as const;
const withdrawn = { ...inState('awaiting_signatures', inSeconds(1)), isWithdrawn: true };

const transactionLives = {
  'transaction-final': () => transaction([...unsigned, 'pending', 'submitted', 'confirmed', 'final'], signing()),
  'transaction-read': () => transaction(['awaiting_signatures', 'pending', 'submitted', 'failed']),
  'transaction-late': () => transaction([...unsigned, ...unsigned, 'expired'], signing(inSeconds(1)), inSeconds(1)),
  'transaction-withdrawn': (): Life => {
    const read = returning(withdrawn, withdrawn, inState('expired', inSeconds(1)));
    const life = transaction([], signing(inSeconds(1)));
    return { ...life, activities: { ...life.activities, readTransaction: read } };
  },
};

function rotation(stages: readonly RotationStage[]): Life {
  return {
    type: 'rotation',
    workflowId: rotationWorkflowId(id),
    input: { rotationId: id, vaultId: id, clockOffsetMs: 0 },
    activities: {
      advanceRotation: returning(...stages),
      submitTransaction: returning({ state: 'submitted', error: null }),
      readTransaction: returning(inState('submitted', inSeconds(HOUR)), inState('confirmed', inSeconds(HOUR))),
    },
    drive: endBySignals('transactionChanged'),
  };
}

const rotationStage = (step: RotationStage['step'], prepares = false, until: RotationStage['until'] = null) => ({
  step,
  prepares,
  until,
});

const rotationLives = {
  'rotation-finished': (): Life => {
    let moves = 0;
    const moving = rotationStage('move_outputs', true);
    const begins = inSeconds(1);
    const life = rotation([
      rotationStage('notice', false, begins),
      rotationStage('notice', false, begins),
      rotationStage('end_executions'),
      rotationStage('end_executions'),
      moving,
      moving,
      rotationStage('finished'),
    ]);
    const prepareMove = () => Promise.resolve(++moves === 1 ? { transactionId: 'move' } : null);
    return {
      ...life,
      activities: { ...life.activities, prepareMove },
      async drive(running) {
        await shows(running, 'Waiting until the submitted executions');
        await running.handle.signal('transactionChanged');
        await shows(running, 'Moving');
        const isLookedAtAgain = async () => {
          await running.handle.signal('transactionChanged');
          return moves > 1;
        };
        await until(isLookedAtAgain, { what: 'another look at what is left' });
        await running.moveTo(60_000);
        await running.handle.result();
      },
    };
  },
  'rotation-cancelled': () =>
    rotation([rotationStage('notice', false, inSeconds(HOUR)), rotationStage('cancelled')]),
};

const sendAnchors: AnchorActivities['sendAnchors'] = returning(
  null,
  { cause: 'operator_funds', sentence: 'Waits for ADA.' } as const,
  null,
);

/** Its activity is on a queue of its own. */
async function follow({ client, taskQueue }: Parameters<Life['drive']>[0]): Promise<void> {
  const connection = await NativeConnection.connect({ address: sharedStack().temporalAddress });
  const { namespace } = client.options;
  let returned = 0;
  const activities: LedgerActivities = {
    async followLedger(): Promise<LedgerFollowing> {
      returned += 1;
      if (returned > 2) await ended.promise;
      return { held: returned === 1 ? 'The histories part.' : null };
    },
  };
  const ended = Promise.withResolvers<undefined>();
  const worker = await Worker.create({ connection, namespace, taskQueue: ledgerTaskQueue(taskQueue), activities });
  await worker.runUntil(async () => {
    await until(() => returned > 2, { what: 'two next runs' });
    ended.resolve(undefined);
  });
  await connection.close();
}

const job = (type: string, activities: Life['activities']): Life => ({
  type,
  workflowId: type,
  input: null,
  activities,
  drive: async ({ handle }) => handle.result().then(
    () => undefined,
    () => undefined,
  ),
});

const part = (changes: Partial<RefreshedPart>): RefreshedPart => ({ refreshed: 1, failed: 0, next: null, ...changes });

export const otherLives = {
  ...transactionLives,
  ...rotationLives,
  anchorSubmitter: (): Life => ({
    type: 'anchorSubmitter',
    workflowId: anchorSubmitterWorkflowId(id),
    input: { anchorChainId: id, clockOffsetMs: 0 },
    activities: { sendAnchors },
    async drive(running) {
      await running.handle.signal('sealed');
      await shows(running, 'Waits for ADA.');
      await running.handle.signal('transactionChanged');
      await until(async () => !(await running.details()).includes('Waits'), { what: 'the anchor chain to go on' });
    },
  }),
  ledgerFollower: (): Life => ({
    type: 'ledgerFollower',
    workflowId: ledgerFollowerId,
    input: { held: null },
    activities: {},
    drive: follow,
  }),
  sweep: () => job('sweep', { sweep: returning({ sent: 1 }) }),
  lostWorkflows: () => job('lostWorkflows', { restartLostWorkflows: returning({ restarted: 1 }) }),
  valuationRefresh: () =>
    job('valuationRefresh', {
      refreshValuations: returning(part({ next: { step: 'valuations', after: null } }), part({})),
    }),
  'valuationRefresh-failed': () => job('valuationRefresh', { refreshValuations: returning(part({ failed: 1 })) }),
  unsolicitedScan: () => job('unsolicitedScan', { scanForUnsolicited: returning<string | null>('page 1', null) }),
  reconciliation: () =>
    job('reconciliation', {
      startReconciliation: returning({ reconciliationId: id }),
      reconcileNextVaults: returning({ isDone: false }, { isDone: true }),
    }),
};
