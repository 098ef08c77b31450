import { ServiceError } from '../platform/errors/errors.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import type { UnitOfWork } from '../platform/database/unit-of-work.ts';
import { lockStakesOf, takeFences } from './write-locks.ts';
import { type LaneLease, type Lane, LaneChangedError } from './lane.ts';
import {
  BrokenWriterError,
  type Completion,
  isRetryable,
  type PausedWriter,
  refuseOrPostpone,
  startOnlyWriter,
  startWriter,
  type Writer,
} from './writer.ts';

/** How often a batch is written before its writers are refused. */
const MAX_ATTEMPTS = 5;

/** Writes a batch in one database transaction and reports the result to every caller. Never rejects. */
export async function runBatch(unitOfWork: UnitOfWork, lane: Lane, writers: readonly Writer[]): Promise<void> {
  let remaining = writers;
  for (let attempt = 1; remaining.length > 0; attempt += 1) {
    try {
      const completions = await writeBatch(unitOfWork, lane, remaining);
      for (const complete of completions) complete();
      return;
    } catch (error) {
      if (error instanceof BrokenWriterError) {
        refuseOrPostpone(error.writer, error.cause);
        remaining = remaining.filter((writer) => writer !== error.writer);
      } else if (!isRetryable(error) || attempt === MAX_ATTEMPTS) {
        const reason = error instanceof LaneChangedError ? notReady(error) : error;
        for (const writer of remaining) writer.refuse(reason);
        return;
      }
    }
  }
}

async function writeBatch(unitOfWork: UnitOfWork, lane: Lane, writers: readonly Writer[]): Promise<Completion[]> {
  // A failure to lease the lane is thrown only when the lane is needed: a replayed response needs none.
  const [lease] = await Promise.allSettled([lane.lease()]);
  return unitOfWork(async (context) => {
    const free = await takeLocks(context, writers);
    const completions: Completion[] = [];
    const paused: PausedWriter[] = [];
    for (const writer of free) {
      const started = await (free.length > 1 ? startWriter : startOnlyWriter)(context, writer);
      if (typeof started === 'function') completions.push(started);
      else paused.push(started);
    }
    if (paused.length === 0) return completions;

    try {
      const facts = paused.flatMap((writer) => writer.facts);
      const hash = await lane.seal(context, valueOf<LaneLease>(lease), facts);
      for (const writer of paused) completions.push(await writer.resume(hash));
      return completions;
    } catch (error) {
      for (const writer of paused) await writer.abort(error);
      throw error;
    }
  });
}

/**
 * Takes the locks of writers. What needs a lock that somebody else holds is postponed, so that the rest of the batch does not wait for it.
 * Returns the writers of which something is left.
 */
async function takeLocks({ tx }: TransactionContext, writers: readonly Writer[]): Promise<readonly Writer[]> {
  const locksOf = (some: readonly Writer[]) => some.flatMap((writer) => writer.locks());
  const fences = await takeFences(tx, locksOf(writers));
  const free = writers.filter((writer) => writer.postponeBusy(({ fence }) => fences.has(fence)));
  // Of all writers at once: a later one could ask for one that must come before those of an earlier one.
  const wallets = await lockStakesOf(tx, locksOf(free));
  return free.filter((writer) => writer.postponeBusy(({ stakesOf }) => wallets.has(stakesOf?.wallet ?? '')));
}

function notReady(cause: LaneChangedError): ServiceError {
  return new ServiceError('SERVICE_NOT_READY', { waitingFor: 'anchors' }, { cause });
}

/** The value of a fulfilled result. Throws the reason of a rejected one. */
function valueOf<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}
