import { activePauses, isWorkerPresent } from './queries.ts';
import type { PausedArea } from './rules.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { ServiceError } from '../platform/errors.ts';
import { isoText } from '../platform/units/time.ts';

/** Throws OPERATION_PAUSED when the area of an operation is paused. */
export async function requireNotPaused(db: Db | Transaction, area: PausedArea): Promise<void> {
  const pause = (await activePauses(db)).find((one) => one.area === area);
  if (pause) throw new ServiceError('OPERATION_PAUSED', { area, reason: pause.reason, since: isoText(pause.since) });
}

/** Several times the interval at which a worker records that it takes tasks (worker/presence.ts): a busy one may be late. */
const ABSENT_AFTER_SECONDS = 15;

/**
 * Throws SERVICE_NOT_READY unless a worker takes tasks. Postgres says so, not Temporal: while Temporal is away the api accepts
 * requests, which a living worker then continues.
 */
export async function requireWorker(db: Db): Promise<void> {
  if (!(await isWorkerPresent(db, ABSENT_AFTER_SECONDS)))
    throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'worker' });
}
