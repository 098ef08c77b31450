import type { TransactionKind } from '../src/transactions/rules.ts';
import type { TerminationStep } from '../src/termination/rules/steps.ts';
import { advanceTermination } from '../src/termination/advance-termination.ts';
import {
  prepareClosing,
  prepareGathering,
  prepareHandOver,
  prepareRemainder,
} from '../src/termination/prepare-transactions.ts';
import type { TerminationActivities } from '../src/platform/temporal/activity-types.ts';
import type { WorkerContext } from '../src/worker-context.ts';

const preparations = {
  gather_pot: prepareGathering,
  hand_over: prepareHandOver,
  pay_remainder: prepareRemainder,
  close_vault: prepareClosing,
} as const satisfies Partial<Record<TerminationStep & TransactionKind, unknown>>;

/** The end of a settled vault (design D31). */
export function createTerminationActivities(context: WorkerContext): TerminationActivities {
  return {
    advanceTermination: (input) => advanceTermination(context, input),
    async prepareTermination({ step, ...input }) {
      // It is tried until it succeeds: a rollback may meanwhile have changed the step, or taken back the end.
      const due = await advanceTermination(context, input);
      if (due.step !== step || !due.prepares || !(step in preparations)) return null;
      return preparations[step as keyof typeof preparations](context, input);
    },
  };
}
