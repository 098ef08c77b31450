import type { TransactionEnd } from '../../domain/transaction/transaction-state.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';

/** What a transaction causes in Postgres while it is on the ledger, and what undoes it when it is not. */
export interface Consequences {
  /** It is in a block. */
  readonly confirmed: (scene: TransactionContext, transaction: ChainTransaction) => Promise<void>;
  /** Its block is as deep as this network needs to be sure. */
  readonly final?: (scene: TransactionContext, transaction: ChainTransaction) => Promise<void>;
  /** Its block is gone; it will be sent again. */
  readonly rolledBack: (scene: TransactionContext, transaction: ChainTransaction) => Promise<void>;
  /** It can never land any more: expired, or refused for good. */
  readonly ended: (scene: TransactionContext, transaction: ChainTransaction, end: TransactionEnd) => Promise<void>;
}
