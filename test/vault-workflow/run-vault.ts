import type { TransactionState } from '../../src/transactions/rules.ts';
import type { Instant } from '../../src/platform/units/time.ts';
import type {
  PreparationActivities,
  TerminationActivities,
  TransactionActivities,
  VaultActivities,
  VaultPlanningActivities,
} from '../../src/platform/temporal/activity-types.ts';
import { vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { runWorkflow } from '../stack/run-workflow.ts';

type Activities = VaultActivities &
  VaultPlanningActivities &
  PreparationActivities &
  TransactionActivities &
  TerminationActivities;

export const vaultId = '00000000-0000-4000-8000-000000000001';

/** What is read of a vault that is settled and not about to end. */
export const locked = { status: 'LOCKED', undone: false, isTerminating: false, endsAt: null } as const;

/** What is read of a transaction in this state. */
export function inState(state: TransactionState, expiresAt: Instant) {
  return { state, expiresAt, kind: 'mint', isWithdrawn: false, error: null, followsExpired: false } as const;
}

/** A vault without windows that settles and whose settlement is complete, unless `changed` says otherwise. */
export function vaultActivities(settlesBy: Instant, changed: Partial<Activities>): Activities {
  const confirmed = (transactionId: string) => () => Promise.resolve({ transactionId });
  return {
    readSchedule: () => Promise.resolve({ transitions: [], settlesBy, status: 'ACTIVE' }),
    readFailure: () => Promise.resolve({ status: 'ACTIVE', reason: null }),
    openOrCloseWindow: () => Promise.resolve(null),
    depositsAreFinal: () => Promise.resolve(true),
    priceAssets: () => Promise.resolve(true),
    planSettlement: () => Promise.resolve(null),
    holdForFailures: () => Promise.resolve(),
    failVault: () => Promise.resolve(undefined),
    lockVault: () => Promise.resolve(locked),
    terminateVault: () => Promise.resolve('terminated'),
    prepareCreation: confirmed('creation'),
    prepareMint: confirmed('mint'),
    nextDelivery: () => Promise.resolve({ kind: 'done' }),
    prepareLiquidity: confirmed('liquidity'),
    nextRefund: () => Promise.resolve({ kind: 'done' }),
    advanceTermination: () => Promise.reject(new Error('the vault does not end')),
    prepareTermination: () => Promise.resolve(null),
    submitTransaction: () => Promise.resolve({ state: 'submitted', error: null }),
    readTransaction: () => Promise.resolve(inState('confirmed', settlesBy)),
    ...changed,
  };
}

/** Runs the workflow of a new vault with activities of the test's own, as a worker would. */
export async function runVault(settlesBy: Instant, changed: Partial<Activities>) {
  const vaultId = crypto.randomUUID();
  const workflow = await runWorkflow({
    type: 'vault',
    workflowId: vaultWorkflowId(vaultId),
    input: { vaultId, clockOffsetMs: 0 },
    activities: vaultActivities(settlesBy, changed),
  });
  return {
    ...workflow,
    vaultId,
    /** Why the vault ended. */
    result: () => workflow.handle.result() as Promise<{ reason: string }>,
  };
}
