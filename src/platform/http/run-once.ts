import type { AnchoringContext, WriteRules } from '../../anchoring/anchors.ts';
import type { TransactionContext } from '../database/unit-of-work.ts';
import type { ApiContext } from '../../api-context.ts';
import type { Idempotency, RecordedResponse } from './idempotency.ts';

/**
 * Answers a request that changes something: runs `work` in a unit of work, once for each idempotency key, and then delivers the
 * workflow messages that it enqueued.
 */
export async function runOnce<Response extends RecordedResponse>(
  { unitOfWork, outboxRelay }: ApiContext,
  idempotency: Idempotency,
  work: (context: TransactionContext) => Promise<Response>,
): Promise<Response> {
  const response = await unitOfWork((context) => idempotency.once(context.tx, () => work(context)));
  outboxRelay.deliver();
  return response;
}

/**
 * As `runOnce`, for a change that is anchored: `work` runs in a batch, which delivers the workflow messages itself.
 */
export function recordOnce<Response extends RecordedResponse>(
  { anchors }: ApiContext,
  { idempotency, ...rules }: { readonly idempotency: Idempotency } & WriteRules,
  work: (context: AnchoringContext) => Promise<Response>,
): Promise<Response> {
  return anchors.record((context) => idempotency.once(context.tx, () => work(context)), rules);
}
