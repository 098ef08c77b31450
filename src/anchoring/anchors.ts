import type { WriteLocks } from '../store/write-locks.ts';
import type { TransactionContext } from '../store/transaction-context.ts';

/** What JSON can say; a fact is anchored as the canonical text of one (RFC 8785). */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue | undefined };

/** Something without value that has to stand on the ledger for anyone to check. */
export interface AnchorPayload {
  /** UUID; its proof is read by it. */
  readonly factId: string;
  /** Whoever may not read this vault may not read the proof. */
  readonly vaultId: string | null;
  readonly fact: JsonValue;
}

/** The database transaction that a batch of facts shares. */
export interface AnchoringContext extends TransactionContext {
  /**
   * Puts facts into the batch and answers the hash of the anchor that carries them, once everyone in the batch has written.
   * Called at most once. What could refuse comes before it; after it comes what names the hash: events, a stored answer.
   */
  anchor(...facts: readonly AnchorPayload[]): Promise<string>;
}

/** Writes facts together with the anchor that carries them to the ledger (design §5). Never called inside a unit of work. */
export interface Anchors {
  /**
   * Runs `write` in the next batch and answers what it answered, after commit. What it throws rejects its own caller and undoes its
   * own writes alone; without a call of `anchor` (a replayed answer) nothing is anchored. What `write` locks it names as its
   * `claim`, or two batches of two processes could wait for each other. Raises SERVICE_NOT_READY.
   */
  record<Result>(write: (work: AnchoringContext) => Promise<Result>, claim?: WriteLocks): Promise<Result>;
  /**
   * As `record`, for what arrives often: `write` gets everything that arrived for a batch and answers, in the same order, a result or
   * the error that refuses the item. What it throws refuses all of them. It takes the claims of its items in order by itself.
   */
  group<Item, Result>(
    write: (work: AnchoringContext, items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
    claimOf?: (item: Item) => WriteLocks | undefined,
  ): (item: Item) => Promise<Result>;
  /** Refuses what comes, ends after everything that came before, and lets go of the lane. */
  close(): Promise<void>;
}
