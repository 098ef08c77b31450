import { ServiceError } from '../platform/errors/errors.ts';
import type { Db } from '../platform/database/database.ts';
import { isWorkerPresent } from './queries/worker-presence.ts';

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
