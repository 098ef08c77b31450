import { sql } from 'kysely';
import { RequestInProgress } from '../platform/http/queries/idempotency.ts';
import { sqlStateOf } from '../platform/database/sqlstate.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import type { WriteLocks } from './write-locks.ts';
import type { AnchoringContext, AnchorPayload } from './anchors.ts';
import { LaneChangedError } from './lane.ts';

/** deadlock_detected, serialization_failure */
const RETRYABLE_SQLSTATES = ['40P01', '40001'];

/** Reports the result of a writer to its callers; called only after the commit. */
export type Completion = () => void;

/** One part of a batch. It may run several times, so its callers hear of a result only through its completion. */
export interface Writer {
  locks(): readonly WriteLocks[];
  run(context: AnchoringContext): Promise<Completion>;
  refuse(error: unknown): void;
  /** Moves it to the next batch. */
  postpone(): void;
  /** Moves what needs busy locks to a later batch; returns false when nothing is left to run. */
  postponeBusy(isBusy: (locks: WriteLocks) => boolean): boolean;
}

/** A writer that has called `anchor` and waits for the hash. */
export interface PausedWriter {
  readonly facts: readonly AnchorPayload[];
  /** Continues with the hash. Throws BrokenWriterError when the writer then fails. */
  resume(hash: string): Promise<Completion>;
  /** Ends the writer, because its batch failed. */
  abort(error: unknown): Promise<void>;
}

/** A writer failed, and the whole transaction is undone with it: its facts were sealed already, or it is the only writer. */
export class BrokenWriterError extends Error {
  readonly writer: Writer;

  constructor(writer: Writer, cause: unknown) {
    super('a writer failed', { cause });
    this.writer = writer;
  }
}

/** Runs one writer of several until it has ended or waits for the hash of its anchor. If it throws before that, its own writes are undone. */
export async function startWriter(context: TransactionContext, writer: Writer): Promise<PausedWriter | Completion> {
  await sql`savepoint writer`.execute(context.tx);
  try {
    const started = await runUntilAnchored(context, writer);
    await sql`release savepoint writer`.execute(context.tx);
    return started;
  } catch (error) {
    if (isRetryable(error)) throw error;
    await sql`rollback to savepoint writer`.execute(context.tx);
    return () => {
      refuseOrPostpone(writer, error);
    };
  }
}

/** As `startWriter`, for the only writer of a batch, which needs no savepoint. Throws BrokenWriterError. */
export async function startOnlyWriter(context: TransactionContext, writer: Writer): Promise<PausedWriter | Completion> {
  try {
    return await runUntilAnchored(context, writer);
  } catch (error) {
    if (isRetryable(error)) throw error;
    throw new BrokenWriterError(writer, error);
  }
}

/** Reports the failure of a writer to its callers, or lets it run again if the same request is under way. */
export function refuseOrPostpone(writer: Writer, error: unknown): void {
  if (error instanceof RequestInProgress) writer.postpone();
  else writer.refuse(error);
}

async function runUntilAnchored(context: TransactionContext, writer: Writer): Promise<PausedWriter | Completion> {
  const sealed = Promise.withResolvers<string>();
  const requested = Promise.withResolvers<readonly AnchorPayload[]>();
  const ended = writer.run({
    ...context,
    anchor(...facts) {
      if (facts.length === 0) throw new RangeError('nothing to anchor');
      requested.resolve(facts);
      return sealed.promise;
    },
  });
  // Both promises are awaited below; until then a rejection must not count as unhandled.
  void Promise.allSettled([sealed.promise, ended]);
  const first = await Promise.race([requested.promise, ended]);
  return typeof first === 'function' ? first : pausedWriter(writer, { facts: first, sealed, ended });
}

/** Whether the whole batch may succeed when it is written again. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof LaneChangedError) return true;
  return RETRYABLE_SQLSTATES.includes(sqlStateOf(error));
}

interface Pause {
  readonly facts: readonly AnchorPayload[];
  readonly sealed: Pick<PromiseWithResolvers<string>, 'resolve' | 'reject'>;
  readonly ended: Promise<Completion>;
}

function pausedWriter(writer: Writer, { facts, sealed, ended }: Pause): PausedWriter {
  return {
    facts,
    async resume(hash) {
      sealed.resolve(hash);
      try {
        return await ended;
      } catch (cause) {
        if (isRetryable(cause)) throw cause;
        throw new BrokenWriterError(writer, cause);
      }
    },
    async abort(error) {
      sealed.reject(error);
      await Promise.allSettled([ended]);
    },
  };
}
