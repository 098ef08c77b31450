import { sql } from 'kysely';
import { ServiceError } from '../platform/errors.ts';
import type { Transaction } from '../platform/database/database.ts';
import { takeLocks } from '../platform/database/locks.ts';
import { RequestInProgress } from '../platform/http/queries/idempotency.ts';
import { sqlStateOf } from '../platform/database/sqlstate.ts';
import { lockFreeStakes } from '../votes/queries/voting-powers.ts';
import type { TransactionContext, UnitOfWork } from '../platform/database/unit-of-work.ts';
import type { AnchoringContext, WriteItems, WriteLocks } from './anchors.ts';
import type { AnchorPayload } from './facts.ts';
import { type AnchorFacts, type AnchorChain, AnchorChainChangedError } from './anchor-chain.ts';

/** How often a batch is written before its writes are refused. */
const MAX_ATTEMPTS = 5;
/** deadlock_detected, serialization_failure */
const RETRYABLE_SQLSTATES = ['40P01', '40001'];

export interface Waiting {
  /** Items with the same function are written together. */
  readonly write: WriteItems<unknown, unknown>;
  readonly item: unknown;
  readonly locks: WriteLocks | undefined;
  /** When it should be in a batch, and until when it tries to get its locks: times of `performance.now()`. */
  readonly latestAt: number;
  readonly giveUpAt?: number;
  readonly resolve: (result: unknown) => void;
  readonly refuse: (error: unknown) => void;
}

interface BatchDeps {
  readonly unitOfWork: UnitOfWork;
  readonly anchorChain: AnchorChain;
  /** Adds a write to the next batch, because the same request is under way. */
  readonly enqueue: (write: Waiting) => void;
  /** As `enqueue`, a moment later, because somebody holds its locks. */
  readonly retryLater: (write: Waiting) => void;
}

/** Writes a batch in one database transaction, and then tells each caller the result. Never rejects. */
export async function runBatch(
  { unitOfWork, anchorChain, enqueue, retryLater }: BatchDeps,
  batch: readonly Waiting[],
): Promise<void> {
  let writes = batch;
  for (let attempt = 1; writes.length > 0; attempt += 1) {
    try {
      const anchorFacts = await anchorChain.lease();
      const writers = await unitOfWork(async (context) => {
        writes = await lockWrites(context.tx, writes, retryLater);
        return runWriters(context, writes, anchorFacts);
      });
      for (const { entries, results } of writers)
        for (const [place, entry] of entries.entries()) settle(entry, results[place], enqueue);
      return;
    } catch (error) {
      if (error instanceof WriterError) {
        for (const write of error.entries) settle(write, asError(error.cause), enqueue);
        writes = writes.filter((write) => !error.entries.includes(write));
      } else if (!isRetryable(error) || attempt >= MAX_ATTEMPTS) {
        for (const write of writes) write.refuse(reasonOf(error));
        return;
      }
    }
  }
}

/** Why a batch could not be written, as its callers are told. */
function reasonOf(error: unknown): unknown {
  if (!(error instanceof AnchorChainChangedError)) return error;
  return new ServiceError('SERVICE_NOT_READY', { waitingFor: 'anchors' }, { cause: error });
}

/** Tells the caller of a write its result. One whose idempotency key another write of the batch has claimed is written again. */
function settle(write: Waiting, result: unknown, enqueue: BatchDeps['enqueue']): void {
  if (result instanceof RequestInProgress) enqueue(write);
  else if (result instanceof Error) write.refuse(result);
  else write.resolve(result);
}

/**
 * Takes the locks of all writes, in the order that every transaction keeps: advisory locks, then stakes by id. Returns the writes that have theirs.
 * The others are tried again later: a process that froze with a lock must delay only the writes that need that lock.
 */
async function lockWrites(
  tx: Transaction,
  writes: readonly Waiting[],
  retryLater: BatchDeps['retryLater'],
): Promise<readonly Waiting[]> {
  const locksOf = (some: readonly Waiting[]) => some.flatMap(({ locks }) => locks ?? []);
  const without = (some: readonly Waiting[], isBusy: (locks: WriteLocks) => boolean) =>
    some.filter((write) => {
      const isFree = write.locks === undefined || !isBusy(write.locks);
      if (!isFree) retryLater(write);
      return isFree;
    });
  const inMode = (wanted: WriteLocks['mode']) =>
    locksOf(writes).flatMap(({ lock, mode }) => (mode === wanted ? [lock] : []));
  const busyLocks = await takeLocks(tx, { shared: inMode('shared'), exclusive: inMode('exclusive') });
  const free = without(writes, ({ lock }) => busyLocks.has(lock));
  const stakers = locksOf(free).flatMap(({ stakesOf }) => stakesOf ?? []);
  const wallets = await lockFreeStakes(tx, {
    vaultIds: [...new Set(stakers.map(({ vaultId }) => vaultId))],
    wallets: [...new Set(stakers.map(({ wallet }) => wallet))],
  });
  return without(free, ({ stakesOf }) => wallets.has(stakesOf?.wallet ?? ''));
}

/** Writes of a batch with the same function. It has ended, or waits for the hash of the anchor of its facts. */
interface Writer {
  readonly entries: readonly Waiting[];
  readonly facts: readonly AnchorPayload[];
  readonly hash: Pick<PromiseWithResolvers<string>, 'resolve' | 'reject'>;
  readonly ended: Promise<readonly unknown[]>;
}

/** The writes with a function failed after their facts were anchored: the batch has to be written again without them. */
class WriterError extends Error {
  readonly entries: readonly Waiting[];

  constructor(entries: readonly Waiting[], cause: unknown) {
    super('a writer failed', { cause });
    this.entries = entries;
  }
}

/** Writes a batch, and anchors its facts once all writers wait for the hash. Returns the results of each writer, in the order of its entries. */
async function runWriters(context: TransactionContext, writes: readonly Waiting[], anchorFacts: AnchorFacts) {
  const writers: Writer[] = [];
  try {
    for (const entries of Map.groupBy(writes, ({ write }) => write).values())
      writers.push(await startWriter(context, entries));
    const facts = writers.flatMap((writer) => writer.facts);
    const hash = facts.length === 0 ? '' : await anchorFacts(context, facts);
    const results = [];
    for (const writer of writers) results.push({ entries: writer.entries, results: await endWriter(writer, hash) });
    return results;
  } catch (error) {
    for (const { hash } of writers) hash.reject(error);
    await Promise.allSettled(writers.map(({ ended }) => ended));
    throw error;
  }
}

/** Runs a writer until it has ended or waits for the hash. If it throws before that, its own writes are undone, and its results are errors. */
async function startWriter(context: TransactionContext, entries: readonly Waiting[]): Promise<Writer> {
  const asked = Promise.withResolvers<readonly AnchorPayload[]>();
  const hash = Promise.withResolvers<string>();
  await sql`savepoint writer`.execute(context.tx);
  const ended = writeItems(entries, {
    ...context,
    anchor(...facts) {
      if (facts.length === 0) throw new RangeError('nothing to anchor');
      asked.resolve(facts);
      return hash.promise;
    },
  });
  // Both are awaited later; until then a rejection must not count as unhandled.
  void Promise.allSettled([hash.promise, ended]);
  try {
    const facts = await Promise.race([asked.promise, ended.then(() => [])]);
    await sql`release savepoint writer`.execute(context.tx);
    return { entries, facts, hash, ended };
  } catch (error) {
    if (isRetryable(error)) throw error;
    await sql`rollback to savepoint writer`.execute(context.tx);
    return { entries, facts: [], hash, ended: Promise.resolve(entries.map(() => asError(error))) };
  }
}

async function writeItems(entries: readonly Waiting[], context: AnchoringContext): Promise<readonly unknown[]> {
  const items = entries.map(({ item }) => item);
  const results = (await entries[0]?.write(context, items)) ?? [];
  if (results.length !== entries.length) throw new RangeError('a result for every item is expected');
  return results;
}

/** Lets a writer continue with the hash. */
async function endWriter({ entries, hash, ended }: Writer, anchorHash: string): Promise<readonly unknown[]> {
  hash.resolve(anchorHash);
  try {
    return await ended;
  } catch (cause) {
    throw isRetryable(cause) ? cause : new WriterError(entries, cause);
  }
}

/** What is thrown is no result, whatever it is. */
function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('a write failed', { cause: thrown });
}

/** Whether the whole batch may succeed when it is written again. */
function isRetryable(error: unknown): boolean {
  return error instanceof AnchorChainChangedError || RETRYABLE_SQLSTATES.includes(sqlStateOf(error));
}
