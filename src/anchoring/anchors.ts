import type { Lovelace } from '../platform/units/money.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import type { WriteLocks } from './write-locks.ts';

/** A JSON value; a fact is anchored as its canonical text (RFC 8785). */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue | undefined };

/** A fact that moves no value and is anchored on the ledger, so that anyone can check it. */
export interface AnchorPayload {
  /** UUID; the proof is read by it. */
  readonly factId: string;
  /** Only readers of this vault may read the proof; null = everyone may. */
  readonly vaultId: string | null;
  readonly fact: JsonValue;
}

/** The database transaction that all writers of a batch share. */
export interface AnchoringContext extends TransactionContext {
  /**
   * Adds facts to the batch and returns the hash of the transaction that anchors them, once every writer of the batch has written.
   * Call it at most once. Make all checks that can refuse the write before it; write what contains the hash (events, a stored
   * response) after it.
   */
  anchor(...facts: readonly AnchorPayload[]): Promise<string>;
}

/** Writes facts to the database in one transaction with the anchor that carries them to the ledger (design §5). Never called inside a unit of work. */
export interface Anchors {
  /**
   * Runs `write` in the next batch and returns its result after the commit. An error of `write` rejects this call alone and undoes
   * its own writes only. If `write` never calls `anchor` (a replayed response), nothing is anchored. Throws SERVICE_NOT_READY.
   */
  record<Result>(write: (context: AnchoringContext) => Promise<Result>, rules?: RecordRules): Promise<Result>;
  /**
   * As `record`, for frequent writes: `write` gets all items that arrived for one batch and returns, in the same order, a result or
   * an error for each. An error that `write` throws refuses all items. The locks of the items are taken before `write` runs.
   */
  group<Item, Result>(write: WriteItems<Item, Result>, rules?: GroupRules<Item>): (item: Item) => Promise<Result>;
  /** What the anchors of this process cost. */
  cost(): AnchorCost;
  /** Refuses new writes, finishes the accepted ones and releases the lane. */
  close(): Promise<void>;
}

/** What a batch has to know of a write before it writes. */
export interface RecordRules {
  /** Everything that it locks; otherwise batches of two processes can deadlock. */
  readonly locks?: WriteLocks | undefined;
  /** The milliseconds that it should wait for its batch at most, if the shortest interval allows that. */
  readonly maxWaitMs?: number | undefined;
}

/** As `RecordRules`, for the items of a group. */
export interface GroupRules<Item> {
  readonly locksOf?: (item: Item) => WriteLocks | undefined;
  readonly maxWaitMsOf?: (item: Item) => number;
}

/** What the anchors of a process cost. */
export interface AnchorCost {
  /** Of this day (UTC, real time), as this process knows it. */
  readonly spentToday: Lovelace;
  readonly dailyBudget: Lovelace;
  /** The longest that a fact waits for its batch at present. */
  readonly intervalMs: number;
  /** The same when the budget is spent. */
  readonly maxIntervalMs: number;
}

/** Writes several items in one transaction; returns a result or an error for each, in the same order. */
export type WriteItems<Item, Result> = (
  context: AnchoringContext,
  items: readonly Item[],
) => Promise<readonly (Result | Error)[]>;
