import { wallClock, secondsAfter } from '../../../src/platform/units/time.ts';
import { vaultWorkflowId } from '../../../src/platform/temporal/workflow-ids.ts';
import { until } from '../../stack/until.ts';
import { locked, vaultActivities, vaultId } from '../../vault-workflow/run-vault.ts';
import { anchorSubmitterWaits } from '../../workflows/anchor-submitter-waits.ts';
import { proposalWaits } from '../../workflows/proposal-waits.ts';
import { rotationWaits } from '../../workflows/rotation-waits.ts';
import { transactionWaits } from '../../workflows/transaction-waits.ts';
import type { Wait } from '../../workflows/waits.ts';
import { type Life, returning, shows } from './life.ts';

const BURST = 20;
const PAGES = 30;
const deadlineMs = 60_000;

const vaultWait: Wait = {
  type: 'vault',
  workflowId: vaultWorkflowId(vaultId),
  input: { vaultId, clockOffsetMs: 0 } as Wait['input'],
  signal: 'transactionChanged',
  activities: (isOver) => ({
    ...vaultActivities(secondsAfter(wallClock.now(), 3600), {
      depositsAreFinal: () => Promise.resolve(isOver() || null),
      lockVault: returning({ ...locked, isTerminating: true }),
      advanceTermination: returning({ step: 'ended', prepares: false, until: null, reason: 'liquidated' } as const),
    }),
  }),
  waiting: 'Waiting until every deposit is final',
  goneOn: { details: 'Settled.' },
};

/** Signals a workflow in a wait until it has continued as new, and then once more when the wait is over. */
function signalled({ activities, signal, waiting, goneOn, ...wait }: Wait): Life {
  let isOver = false;
  let ended = false;
  const observed = Object.entries(activities(() => isOver) as Record<string, (input: unknown) => Promise<unknown>>).map(
    ([name, run]) => [
      name,
      async (input: unknown) => {
        const result = await run(input);
        ended ||= isOver && 'activity' in goneOn && goneOn.activity === name;
        return result;
      },
    ],
  );
  return {
    ...wait,
    activities: Object.fromEntries(observed) as Life['activities'],
    continues: true,
    async drive(running) {
      await shows(running, waiting);
      const firstRun = await running.runId();
      const isContinued = async () => {
        await Promise.all(Array.from({ length: BURST }, () => running.handle.signal(signal)));
        await until(() => running.hasReadSignals(), { what: 'the run to read the signals', deadlineMs });
        return (await running.runId()) !== firstRun;
      };
      await until(isContinued, { what: 'a next run', deadlineMs });
      await shows(running, waiting);
      isOver = true;
      await running.handle.signal(signal);
      if ('activity' in goneOn) await until(() => ended, { what: goneOn.activity, deadlineMs });
      else {
        const isGoneOn = async () =>
          (await running.handle.describe()).status.name === 'COMPLETED' ||
          (await running.details()).includes(goneOn.details);
        await until(isGoneOn, { what: goneOn.details, deadlineMs });
      }
    },
  };
}

const paged = (type: string, activities: Life['activities']): Life => ({
  type,
  workflowId: type,
  input: null,
  activities,
  continues: true,
  drive: async ({ handle }) => handle.result().then(),
});

/** Lives that fill more than one history. */
export const continuingLives = {
  'vault-continued': () => signalled(vaultWait),
  'proposal-continued': () => signalled(proposalWaits['a proposal that waits for its execution']),
  'transaction-continued': () => signalled(transactionWaits['a transaction that waits for the ledger']),
  'transaction-unsent-continued': () => signalled(transactionWaits['a transaction that cannot be sent']),
  'rotation-continued': () => signalled(rotationWaits['a rotation that is announced']),
  'anchorSubmitter-continued': () => signalled(anchorSubmitterWaits['an anchor submitter that waits for facts']),
  'unsolicitedScan-continued': () =>
    paged('unsolicitedScan', {
      scanForUnsolicited: returning(...Array<string>(PAGES).fill('a page'), null),
    }),
  'reconciliation-continued': () =>
    paged('reconciliation', {
      startReconciliation: returning({ reconciliationId: 'report' }),
      reconcileNextVaults: returning(...Array<object>(PAGES).fill({ isDone: false }), { isDone: true }),
    }),
};
