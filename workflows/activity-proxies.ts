import { proxyActivities, type WorkflowInfo } from '@temporalio/workflow';
import type {
  AnchorActivities,
  LedgerActivities,
  LostWorkflowActivities,
  PreparationActivities,
  ProposalActivities,
  ReconciliationActivities,
  TallyActivities,
  TerminationActivities,
  TransactionActivities,
  UnsolicitedActivities,
  UpkeepActivities,
  VaultActivities,
  VaultPlanningActivities,
  RotationActivities,
} from '../src/platform/temporal/activity-types.ts';
import { ledgerTaskQueue } from '../src/platform/temporal/workflow-ids.ts';

const retry = { initialInterval: '250 milliseconds', backoffCoefficient: 2, maximumInterval: '20 seconds' } as const;
/** After this time a worker that was killed counts as lost (worker/heartbeat.ts). */
const heartbeatTimeout = '5 seconds';
const quick = { startToCloseTimeout: '60 seconds', heartbeatTimeout, retry } as const;

/** The workflow itself tries these again (attempts.ts), so that it keeps its deadlines and shows what fails. */
const fewAttempts = { ...quick, retry: { ...retry, maximumAttempts: 3 } } as const;

export const vaults = proxyActivities<VaultActivities>(quick);
export const planning = proxyActivities<VaultPlanningActivities>(fewAttempts);
export const proposals = proxyActivities<ProposalActivities>(quick);
export const tallies = proxyActivities<TallyActivities>(quick);
export const chain = proxyActivities<TransactionActivities>(quick);
export const preparation = proxyActivities<PreparationActivities>(fewAttempts);
export const rotations = proxyActivities<RotationActivities>(fewAttempts);
export const terminations = proxyActivities<TerminationActivities>(fewAttempts);

/** The anchors of many callers wait behind one that cannot be sent, so it is retried soon. */
export const anchors = proxyActivities<AnchorActivities>({
  ...quick,
  startToCloseTimeout: '10 minutes',
  retry: { ...retry, maximumInterval: '3 seconds' },
});

/** Waits behind no other activity. */
export function ledgerOf({ taskQueue }: Pick<WorkflowInfo, 'taskQueue'>) {
  return proxyActivities<LedgerActivities>({
    taskQueue: ledgerTaskQueue(taskQueue),
    startToCloseTimeout: '65 minutes',
    heartbeatTimeout,
    retry: { ...retry, maximumInterval: '2 seconds' },
  });
}

/** Schedules run these again soon, so one run gives up early and runs do not pile up. */
export const upkeep = proxyActivities<UpkeepActivities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout,
  retry: { maximumAttempts: 2 },
});

/** Reads the ids of all workflows that run: seconds for 100,000 vaults. */
export const lostWorkflowFinder = proxyActivities<LostWorkflowActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout,
  retry: { maximumAttempts: 2 },
});

/** One page of vaults asks the ledger for many addresses. A scan continues after vaults that fail, and names them at the end. */
export const scanner = proxyActivities<UnsolicitedActivities>({
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout,
  retry: { maximumAttempts: 3 },
});

/** One vault may have thousands of addresses. A report continues where an attempt has ended. */
export const reconciler = proxyActivities<ReconciliationActivities>({
  startToCloseTimeout: '60 minutes',
  heartbeatTimeout,
  retry: { ...retry, maximumAttempts: 10 },
});
