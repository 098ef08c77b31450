import type { WorkerContext } from '../worker-context.ts';

/** What deliveries and refunds of deposits are prepared with. */
export type DepositContext = Pick<
  WorkerContext,
  'db' | 'unitOfWork' | 'ids' | 'ledger' | 'networkState' | 'networkId' | 'confirmationDepth' | 'onQuarantine'
>;

/** More deposits than fit into one transaction; the builder takes as many as fit. */
export const MAX_DEPOSITS = 80;
