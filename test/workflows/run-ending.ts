import { wallClock, secondsAfter } from '../../src/platform/units/time.ts';
import type { Prepared, TerminationStage, RotationStage } from '../../src/platform/temporal/activity-types.ts';
import type { WorkflowSignal } from '../../src/platform/temporal/messages.ts';
import { rotationWorkflowId, vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { runWorkflow } from '../stack/run-workflow.ts';
import { inState, locked, vaultActivities } from '../vault-workflow/run-vault.ts';
import { type Call, observed } from './observed.ts';

type Stage = Pick<RotationStage, 'prepares' | 'until'> & { readonly step: string };

/** What a test changes. Unless it says otherwise, the transaction of a step is confirmed when the stage changes. */
export type Changed = Parameters<typeof vaultActivities>[1] & {
  readonly prepare?: () => Promise<Prepared | null>;
  readonly advance?: () => Promise<unknown>;
};

/** Runs the workflow of a rotation, or of a settled vault that ends, that Postgres has in this stage. */
async function runSteps(type: 'rotation' | 'vault', begins: Stage, { prepare, advance, ...changed }: Changed) {
  const [vaultId, rotationId] = [crypto.randomUUID(), crypto.randomUUID()];
  let stage = begins;
  let preparedIn: Stage | undefined;
  const calls: Call[] = [];
  const moved =
    prepare ??
    (() => {
      preparedIn = stage;
      return Promise.resolve({ transactionId: 'step' });
    });
  const read = advance ?? (() => Promise.resolve({ reason: 'liquidated', ...stage }));
  const inAnHour = secondsAfter(wallClock.now(), 3600);
  const activities = {
    ...vaultActivities(inAnHour, {
      lockVault: () => Promise.resolve({ ...locked, isTerminating: true }),
      readTransaction: ({ transactionId }) =>
        Promise.resolve(
          inState(transactionId === 'step' && stage === preparedIn ? 'submitted' : 'confirmed', inAnHour),
        ),
      ...changed,
    }),
    advanceTermination: read,
    advanceRotation: read,
    prepareTermination: moved,
    prepareMove: moved,
  };
  const workflow = await runWorkflow({
    type,
    workflowId: type === 'rotation' ? rotationWorkflowId(rotationId) : vaultWorkflowId(vaultId),
    input: { rotationId, vaultId, clockOffsetMs: 0 },
    activities: observed(activities, (call) => calls.push(call)),
  });
  return {
    ...workflow,
    calls: (name: string) => calls.filter((call) => call.name === name),
    /** Its stage changes, and the workflow is told so. */
    async becomes(next: Stage, signal: WorkflowSignal = 'transactionChanged') {
      stage = next;
      await workflow.signal(signal);
    },
    /** Its stage changes, and nobody tells the workflow. */
    becomesUnseen(next: Stage) {
      stage = next;
    },
    result: () => workflow.handle.result() as Promise<unknown>,
  };
}

/** A step that waits, until a time if there is one. */
export const waits = <Step extends string>(step: Step, until: RotationStage['until'] = null) =>
  ({ step, prepares: false, until }) as const;
/** A step that needs a transaction. */
export const prepares = <Step extends string>(step: Step) => ({ step, prepares: true, until: null }) as const;

export const runRotation = (begins: RotationStage, changed: Changed = {}) => runSteps('rotation', begins, changed);
export const runTermination = (begins: Omit<TerminationStage, 'reason'>, changed: Changed = {}) =>
  runSteps('vault', begins, changed);

/** What is read of a transaction that was sent and has ended like this. */
export const ends = (state: 'confirmed' | 'expired' | 'failed', more: object = {}) => ({
  ...inState(state, secondsAfter(wallClock.now(), 3600)),
  ...more,
});
