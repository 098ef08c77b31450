import type { TransactionKind } from '../../transactions/rules/transaction-state.ts';
import type { EvidenceByKind } from '../evidence.ts';
import type { ChainTransaction } from '../../transactions/queries/chain-transactions.ts';
import type { WorkerContext } from '../../worker-context.ts';

/** What evidence is gathered with. */
export type EvidenceContext = Pick<
  WorkerContext,
  | 'db'
  | 'ledger'
  | 'keys'
  | 'networkId'
  | 'networkState'
  | 'liquidityAddress'
  | 'operatorDeposits'
  | 'batchPaths'
  | 'durationBounds'
  | 'priceSource'
>;

/** Reads what a transaction of a kind is judged by. Throws TRANSACTION_NOT_JUSTIFIED when there is nothing, and LEDGER_UNAVAILABLE. */
export type Gather<Kind extends TransactionKind> = (
  context: EvidenceContext,
  recorded: ChainTransaction,
) => Promise<EvidenceByKind[Kind]>;
