import { sql } from 'kysely';
import { ServiceError } from '../domain/errors.ts';
import { type WriteLocks, acquireWriteLocks } from '../store/write-locks.ts';
import { AnswerUnderWay } from '../store/idempotency.ts';
import type { TransactionContext } from '../store/transaction-context.ts';
import type { UnitOfWork } from '../store/unit-of-work.ts';
import type { AnchoringContext, AnchorPayload } from './anchors.ts';
import { type LaneLease, type Lane, LaneChangedError } from './lane.ts';

/** A batch is written again when its lane changed or its transaction had to give way to another one. */
const ATTEMPTS = 5;
/** deadlock_detected, serialization_failure */
const GAVE_WAY = ['40P01', '40001'];

/** One part of a batch. It may run again, so it tells its callers nothing before it is asked to. */
export interface Writer {
  claims(): readonly WriteLocks[];
  /** Answers how to tell its callers what came of it, once the batch is committed. */
  run(work: AnchoringContext): Promise<() => void>;
  refuse(error: unknown): void;
  /** Puts it into the next batch. */
  postpone(): void;
}

/** Writes a batch in one database transaction and tells every caller what came of it. Never rejects. */
export async function runBatch(unitOfWork: UnitOfWork, lane: Lane, writers: readonly Writer[]): Promise<void> {
  let left = writers;
  for (let attempt = 1; left.length > 0; attempt += 1) {
    try {
      for (const tell of await writeBatch(unitOfWork, lane, left)) tell();
      return;
    } catch (error) {
      if (error instanceof BrokenWriter) {
        error.writer.refuse(error.cause);
        left = left.filter((writer) => writer !== error.writer);
      } else if (!mayGoBetter(error) || attempt === ATTEMPTS) {
        const reason = error instanceof LaneChangedError ? notReady(error) : error;
        for (const writer of left) writer.refuse(reason);
        return;
      }
    }
  }
}

/** A writer failed after its facts had been sealed, so the whole transaction is undone. */
class BrokenWriter extends Error {
  readonly writer: Writer;

  constructor(writer: Writer, cause: unknown) {
    super('a writer failed after its facts were sealed', { cause });
    this.writer = writer;
  }
}

async function writeBatch(unitOfWork: UnitOfWork, lane: Lane, writers: readonly Writer[]): Promise<(() => void)[]> {
  // What the outside refuses is thrown only when it is needed: a replayed answer needs no lane.
  const [berth] = await Promise.allSettled([lane.berth()]);
  return unitOfWork(async (work) => {
    // One alone keeps the order by itself. Of several the next would lock what comes before what the last one has.
    if (writers.length > 1) {
      const claims = writers.flatMap((writer) => writer.claims());
      await acquireWriteLocks(work.tx, claims);
    }
    const tellings: (() => void)[] = [];
    const waiting: Waiting[] = [];
    for (const writer of writers) {
      const begun = await begin(work, writer);
      if (typeof begun === 'function') tellings.push(begun);
      else waiting.push(begun);
    }
    if (waiting.length === 0) return tellings;

    try {
      const facts = waiting.flatMap((waiter) => waiter.facts);
      const hash = await lane.seal(work, fulfilled<LaneLease>(berth), facts);
      for (const waiter of waiting) tellings.push(await waiter.finish(hash));
      return tellings;
    } catch (error) {
      for (const waiter of waiting) await waiter.giveUp(error);
      throw error;
    }
  });
}

/** A writer that has written and waits for the hash of its anchor. */
interface Waiting {
  readonly facts: readonly AnchorPayload[];
  finish(hash: string): Promise<() => void>;
  giveUp(error: unknown): Promise<void>;
}

/** Runs a writer until it has ended or waits. What it wrote before it threw is undone. */
async function begin(work: TransactionContext, writer: Writer): Promise<Waiting | (() => void)> {
  const sealed = Promise.withResolvers<string>();
  const asked = Promise.withResolvers<readonly AnchorPayload[]>();
  await sql`savepoint writer`.execute(work.tx);
  const ended = writer.run({
    ...work,
    anchor(...facts) {
      if (facts.length === 0) throw new RangeError('nothing to anchor');
      asked.resolve(facts);
      return sealed.promise;
    },
  });
  // Both are looked at below; until then neither failure may count as unhandled.
  void Promise.allSettled([sealed.promise, ended]);
  try {
    const first = await Promise.race([asked.promise, ended]);
    await sql`release savepoint writer`.execute(work.tx);
    if (typeof first === 'function') return first;
    return {
      facts: first,
      async finish(hash) {
        sealed.resolve(hash);
        try {
          return await ended;
        } catch (cause) {
          if (mayGoBetter(cause)) throw cause;
          throw new BrokenWriter(writer, cause);
        }
      },
      async giveUp(error) {
        sealed.reject(error);
        await Promise.allSettled([ended]);
      },
    };
  } catch (error) {
    if (mayGoBetter(error)) throw error;
    await sql`rollback to savepoint writer`.execute(work.tx);
    return () => {
      if (error instanceof AnswerUnderWay) writer.postpone();
      else writer.refuse(error);
    };
  }
}

function mayGoBetter(error: unknown): boolean {
  if (error instanceof LaneChangedError) return true;
  return error instanceof Error && 'code' in error && GAVE_WAY.some((code) => code === error.code);
}

function notReady(cause: LaneChangedError): ServiceError {
  return new ServiceError('SERVICE_NOT_READY', { waitingFor: 'anchors' }, { cause });
}

function fulfilled<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}
