import { proxyActivities } from '@temporalio/workflow';
import type {
  AnchorActivities,
  LedgerActivities,
  PreparationActivities,
  ProposalActivities,
  TallyActivities,
  TransactionActivities,
  UnsolicitedActivities,
  UpkeepActivities,
  VaultActivities,
} from '../src/temporal/activities.ts';

const retry = { initialInterval: '250 milliseconds', backoffCoefficient: 2, maximumInterval: '20 seconds' } as const;
/** A worker that was killed is missed after this long (worker/heartbeat.ts). */
const heartbeatTimeout = '5 seconds';
const quick = { startToCloseTimeout: '60 seconds', heartbeatTimeout, retry } as const;

export const vaults = proxyActivities<VaultActivities>(quick);
export const proposals = proxyActivities<ProposalActivities>(quick);
export const tallies = proxyActivities<TallyActivities>(quick);
export const chain = proxyActivities<TransactionActivities>(quick);
export const preparation = proxyActivities<PreparationActivities>(quick);

/** Many callers' facts wait behind one that cannot be sent, so it is tried again soon. */
export const anchors = proxyActivities<AnchorActivities>({
  ...quick,
  startToCloseTimeout: '10 minutes',
  retry: { ...retry, maximumInterval: '3 seconds' },
});

export const ledger = proxyActivities<LedgerActivities>({
  startToCloseTimeout: '65 minutes',
  heartbeatTimeout,
  retry: { ...retry, maximumInterval: '2 seconds' },
});

/** Schedules run these again soon, so one run gives up instead of piling up. */
export const upkeep = proxyActivities<UpkeepActivities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout,
  retry: { maximumAttempts: 2 },
});

/** One page of vaults asks the ledger for many addresses; a look goes on past vaults that fail and names them at the end. */
export const lookout = proxyActivities<UnsolicitedActivities>({
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout,
  retry: { maximumAttempts: 3 },
});
