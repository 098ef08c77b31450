import type { Lovelace } from '../platform/units/money.ts';
import type { AdvisoryLock } from '../platform/database/locks.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { AnchorPayload } from './facts.ts';

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
   * its own writes only. If `write` never calls `anchor` (a replayed response), nothing is anchored.
   */
  record<Result>(write: (context: AnchoringContext) => Promise<Result>, rules?: WriteRules): Promise<Result>;
  /**
   * As `record`, for frequent writes: `write` gets all items that arrived for one batch and returns, in the same order, a result or
   * an error for each. An error that `write` throws refuses all items.
   */
  group<Item, Result>(
    write: WriteItems<Item, Result>,
    rulesOf?: (item: Item) => WriteRules,
  ): (item: Item) => Promise<Result>;
  /** What the anchors of this process cost. */
  cost(): AnchorCost;
  /** Refuses new writes, finishes the accepted ones and releases the anchor chain. */
  close(): Promise<void>;
}

/** Writes several items in one transaction; returns a result or an error for each, in the same order. */
export type WriteItems<Item, Result> = (
  context: AnchoringContext,
  items: readonly Item[],
) => Promise<readonly (Result | Error)[]>;

/** What a batch has to know of a write before it writes. */
export interface WriteRules {
  /** Everything that it locks; its batch takes the locks of all writes first, or batches of two processes could deadlock. */
  readonly locks?: WriteLocks | undefined;
  /** The milliseconds that it should wait for its batch at most, if the shortest interval allows that. */
  readonly maxWaitMs?: number | undefined;
}

/** The locks of a write, held until its transaction ends. */
export interface WriteLocks {
  readonly lock: AdvisoryLock;
  readonly mode: 'shared' | 'exclusive';
  /** The wallet whose stakes it changes; null when it changes no stakes. */
  readonly stakesOf: { readonly vaultId: string; readonly wallet: string } | null;
}

/** A change that is anchored: its fact, and the anchor transaction that carries it. */
export interface AnchoredChange {
  readonly factId: string;
  readonly transactionHash: string;
}

export interface AnchorCost {
  /** Of this day (UTC, real time), as this process knows it. */
  readonly spentToday: Lovelace;
  readonly dailyBudget: Lovelace;
  /** The longest that a fact waits for its batch at present. */
  readonly intervalMs: number;
  /** The same when the budget is spent. */
  readonly maxIntervalMs: number;
}
