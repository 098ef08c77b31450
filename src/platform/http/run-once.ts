import type { AnchoringContext, RecordRules } from '../../anchoring/anchors.ts';
import { ServiceError } from '../errors/errors.ts';
import { deferError } from '../async/defer-error.ts';
import { isAnswered } from './queries/idempotency.ts';
import { run } from '../database/statements.ts';
import type { TransactionContext } from '../database/transaction-context.ts';
import type { Opening } from '../database/unit-of-work.ts';
import type { ApiContext } from '../../api-context.ts';
import type { Idempotency } from './idempotency.ts';
import type { RecordedResponse } from './recorded-response.ts';

/**
 * Fetches what a change needs from outside, before its unit of work; nothing for a request whose response is recorded. What fails
 * is thrown inside the unit of work, so that a recorded response and the errors of the change come first.
 */
export async function prefetchOnce<Result>(
  { db }: Pick<ApiContext, 'db'>,
  { key }: Idempotency,
  fetch: () => Promise<Result>,
): Promise<() => Result> {
  if (key === null || !(await isAnswered(db, key.claim()))) return deferError(fetch());
  return () => {
    throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'the recorded response' });
  };
}

/**
 * Answers a request that changes something: runs `work` in a unit of work, once for each idempotency key, and then delivers the
 * workflow messages that it enqueued.
 */
export async function runOnce<Response extends RecordedResponse>(
  { unitOfWork, outboxRelay }: Pick<ApiContext, 'unitOfWork' | 'outboxRelay'>,
  idempotency: Idempotency,
  work: (context: TransactionContext) => Promise<Response>,
): Promise<Response> {
  const response = await unitOfWork((context) => idempotency.once(context.tx, () => work(context)));
  outboxRelay.deliver();
  return response;
}

/** As `runOnce`, for work that begins with statements. With an idempotency key they wait until the request is known to be the first. */
export async function runOnceOpened<Response extends RecordedResponse, Opened>(
  api: Pick<ApiContext, 'unitOfWork' | 'openedUnitOfWork' | 'outboxRelay'>,
  idempotency: Idempotency,
  opening: Opening<Opened>,
  work: (context: TransactionContext, opened: Opened) => Promise<Response>,
): Promise<Response> {
  if (idempotency.key !== null)
    return runOnce(api, idempotency, async (context) => work(context, await run(context.tx, opening(context.tx))));
  const response = await api.openedUnitOfWork(opening, work);
  api.outboxRelay.deliver();
  return response;
}

/**
 * As `runOnce`, for a change that is anchored: `work` runs in a batch, which delivers the workflow messages itself.
 */
export function recordOnce<Response extends RecordedResponse>(
  { anchors }: Pick<ApiContext, 'anchors'>,
  { idempotency, ...rules }: { readonly idempotency: Idempotency } & RecordRules,
  work: (context: AnchoringContext) => Promise<Response>,
): Promise<Response> {
  return anchors.record((context) => idempotency.once(context.tx, () => work(context)), rules);
}
