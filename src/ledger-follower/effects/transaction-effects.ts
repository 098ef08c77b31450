import type { TransactionEnd } from '../../transactions/rules.ts';
import type { ChainTransaction } from '../../transactions/queries/transactions.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';

/** Where a change of the transaction causes nothing. */
export const nothing = (): Promise<void> => Promise.resolve();

/** What a transaction changes in Postgres while it is on the ledger, and how that is undone. */
export interface TransactionEffects {
  /** It will be in a block although it had ended: undoes what `ended` changed, before `confirmed`. Nothing when absent. */
  readonly revived?: (context: TransactionContext, transaction: ChainTransaction) => Promise<void>;
  /** It is in a block. */
  readonly confirmed: (context: TransactionContext, transaction: ChainTransaction) => Promise<void>;
  /** Its block is as deep as this network needs to be sure. */
  readonly final?: (context: TransactionContext, transaction: ChainTransaction) => Promise<void>;
  /** Its block was rolled back; it is sent again. */
  readonly rolledBack: (context: TransactionContext, transaction: ChainTransaction) => Promise<void>;
  /** It can never be confirmed any more: expired, or failed. */
  readonly ended: (context: TransactionContext, transaction: ChainTransaction, end: TransactionEnd) => Promise<void>;
}
