import { addWitnessesRoute } from './add-witnesses.ts';
import { listTransactionsRoute } from './list-transactions.ts';
import { readTransactionRoute } from './read-transaction.ts';
import { withdrawTransactionRoute } from './withdraw-transaction.ts';

/** The operations on transactions, in the order of the OpenAPI document. */
export const transactionRoutes = [
  listTransactionsRoute,
  readTransactionRoute,
  addWitnessesRoute,
  withdrawTransactionRoute,
];
