import { proxyActivities } from '@temporalio/workflow';
import type {
  LedgerActivities,
  PreparationActivities,
  TransactionActivities,
  UpkeepActivities,
  VaultActivities,
} from '../src/temporal/activities.ts';

const retry = { initialInterval: '250 milliseconds', backoffCoefficient: 2, maximumInterval: '20 seconds' } as const;
const quick = { startToCloseTimeout: '30 seconds', retry } as const;

export const vaults = proxyActivities<VaultActivities>(quick);
export const chain = proxyActivities<TransactionActivities>(quick);
export const preparation = proxyActivities<PreparationActivities>(quick);

export const ledger = proxyActivities<LedgerActivities>({
  startToCloseTimeout: '65 minutes',
  heartbeatTimeout: '20 seconds',
  retry: { ...retry, maximumInterval: '2 seconds' },
});

/** Schedules run these again soon, so one run gives up instead of piling up. */
export const upkeep = proxyActivities<UpkeepActivities>({
  startToCloseTimeout: '5 minutes',
  retry: { maximumAttempts: 2 },
});
