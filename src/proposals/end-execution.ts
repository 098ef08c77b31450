import type { ProposalStage } from '../platform/temporal/activity-types.ts';
import type { WorkerContext } from '../worker-context.ts';
import { endAsFailed, type ProposalMoment, type ProposalStep, takeStep } from './proposal-step.ts';
import { voidFrozenExecution } from './void-frozen-execution.ts';

/** Fails a proposal that was not executed in time. One whose execution was sent stays until that lands or no longer can. */
export function endExecution(
  context: Pick<WorkerContext, 'unitOfWork' | 'onTransition'>,
  moment: ProposalMoment,
): Promise<ProposalStage> {
  return takeStep(context, executionEnd, moment);
}

const reason = 'execution_window_elapsed';

const executionEnd: ProposalStep = {
  transition: 'execution_end',
  dueAt: ({ phases }) => phases?.execution.endsAt,
  isReady: ({ status, executionSent }) => status === 'PASSED' && !executionSent,
  async take(context, proposal) {
    await voidFrozenExecution(context, proposal, { cause: reason, note: 'the execution phase is over' });
    await endAsFailed(context, proposal, reason);
  },
};
