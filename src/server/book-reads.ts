import type { Caller } from '../domain/identity/caller.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Db } from '../store/database.ts';

/** How many reads of a caller wait for the one that runs. */
const MAX_WAITING = 5;

/** Runs a read of books. Throws RATE_LIMIT_EXCEEDED when too many of the caller wait. */
export type ReadBooks = <Result>(caller: Caller, read: (db: Db) => Promise<Result>) => Promise<Result>;

/** Runs the reads of each caller one after the other, so that nobody alone keeps all connections for such reads busy. */
export function createBookReads(db: Db): ReadBooks {
  /** Of each caller with a read under way: how many there are, and the end of the last one. */
  const queues = new Map<string, { readonly size: number; readonly last: Promise<unknown> }>();
  return async (caller, read) => {
    const key = `${caller.apiKeyId} ${caller.wallet ?? ''}`;
    const { size, last } = queues.get(key) ?? { size: 0, last: Promise.resolve() };
    if (size > MAX_WAITING)
      throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: 1, waitingFor: 'earlier reads of books' });
    const result = last.then(() => read(db));
    const settled = result.catch(() => null);
    queues.set(key, { size: size + 1, last: settled });
    await settled;
    const queue = queues.get(key);
    if (queue && queue.size > 1) queues.set(key, { ...queue, size: queue.size - 1 });
    else queues.delete(key);
    return result;
  };
}
