import type { ChainTransaction } from '../../transactions/queries/chain-transactions.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Execution } from '../queries/executions.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

/** What the execution of one type of proposal changes in Postgres. It receives only executions of that type. */
export interface ExecutionEffect {
  /** Reserves what must be available when the submitted transaction lands. Throws MAX_ASSETS_REACHED. */
  reserve?(tx: Transaction, execution: Execution): Promise<void>;
  /** Records the effect in Postgres when the transaction is on the ledger. */
  apply(context: TransactionContext, execution: Execution, transaction: ChainTransaction): Promise<void>;
  /** Begins what only a final transaction may begin. */
  final?(context: TransactionContext, execution: Execution, transaction: ChainTransaction): Promise<void>;
  /** Undoes `apply` after a rollback. */
  undo(context: TransactionContext, execution: Execution, transaction: ChainTransaction): Promise<void>;
  /** Releases what was reserved, when the transaction can no longer land. */
  abandon?(context: TransactionContext, execution: Execution, transaction: ChainTransaction): Promise<void>;
  /** Undoes `abandon`: the transaction lands after all, whatever the limits of the vault are by then. */
  revive?(context: TransactionContext, execution: Execution, transaction: ChainTransaction): Promise<void>;
}
