import type { WorkerContext } from '../worker-context.ts';

/** What deliveries and refunds of deposits are prepared with. */
export type DepositContext = Pick<
  WorkerContext,
  | 'db'
  | 'unitOfWork'
  | 'ids'
  | 'ledger'
  | 'networkState'
  | 'networkId'
  | 'confirmationDepth'
  | 'onQuarantine'
  | 'onUnreadable'
  | 'onUnjustified'
>;
