import { Context as ActivityContext } from '@temporalio/activity';
import { type AnchorWait, anchorWaitFor } from '../src/anchoring/rules/pace.ts';
import { ServiceError } from '../src/platform/errors.ts';
import { sendAnchors } from '../src/anchoring/send-anchors.ts';
import type { WorkerContext } from '../src/worker-context.ts';
import { signalTransactionChanged } from '../src/platform/temporal/workflow-outbox.ts';
import type { AnchorActivities } from '../src/platform/temporal/activity-types.ts';
import { anchorSubmitterWorkflowId } from '../src/platform/temporal/workflow-ids.ts';

/** Two seconds of attempts: what fails longer is shown. */
const SHOWN_FROM_ATTEMPT = 4;

/** Sending the anchors of an anchor chain to the ledger, in order. */
export function createAnchorActivities(context: WorkerContext): AnchorActivities {
  const { unitOfWork, outboxRelay } = context;
  return {
    async sendAnchors({ anchorChainId, shown }) {
      const failure = await failureOf(context, anchorChainId);
      const isNews = failure !== null && failure.wait.cause !== shown;
      if (failure && !(isNews && ActivityContext.current().info.attempt >= SHOWN_FROM_ATTEMPT)) throw failure.error;
      // It shows this and tries again at once, as for any signal.
      if (failure) await unitOfWork((work) => signalTransactionChanged(work, anchorSubmitterWorkflowId(anchorChainId)));
      outboxRelay.deliver();
      return failure?.wait ?? null;
    },
  };
}

/** Why the anchors of an anchor chain could not all be sent; null when they were. */
async function failureOf(
  context: WorkerContext,
  anchorChainId: string,
): Promise<{ wait: AnchorWait; error: unknown } | null> {
  try {
    const submission = await sendAnchors(context, anchorChainId);
    if (submission === 'done') return null;
    const { code, unclear } = submission;
    return { wait: anchorWaitFor(code, unclear), error: new Error(unclear) };
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : undefined;
    return { wait: anchorWaitFor(code, error instanceof Error ? error.message : String(error)), error };
  }
}
