import { createAnchorActivities } from '../activities/anchors.ts';
import { createProposalActivities } from '../activities/proposals.ts';
import { createReconciliationActivities } from '../activities/reconciliation.ts';
import { createTerminationActivities } from '../activities/terminations.ts';
import { createVoteActivities } from '../activities/votes.ts';
import { createTransactionActivities } from '../activities/transactions.ts';
import { createUnsolicitedActivities } from '../activities/unsolicited.ts';
import { createUpkeepActivities } from '../activities/upkeep.ts';
import { createCreationActivities, createVaultActivities } from '../activities/vaults.ts';
import type { Platform } from '../src/dependencies.ts';
import { restartLostWorkflows } from '../src/operations/upkeep.ts';
import { advanceRotation, prepareMove } from '../src/rotation/move-custody.ts';
import { prepareLiquidity, prepareMint } from '../src/settlement/mint.ts';
import { nextDelivery, nextRefund } from '../src/settlement/payments.ts';
import type { WorkerContext } from '../src/worker-context.ts';
import type {
  AnchorActivities,
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

type Activities = VaultActivities &
  VaultPlanningActivities &
  ProposalActivities &
  TallyActivities &
  PreparationActivities &
  TerminationActivities &
  RotationActivities &
  TransactionActivities &
  AnchorActivities &
  LostWorkflowActivities &
  UnsolicitedActivities &
  ReconciliationActivities &
  UpkeepActivities;

export function createActivities(context: WorkerContext & Platform): Activities {
  return {
    ...createVaultActivities(context),
    ...createProposalActivities(context),
    ...createVoteActivities(context),
    ...createCreationActivities(context),
    prepareMint: (input) => prepareMint(context, input),
    nextDelivery: (input) => nextDelivery(context, input),
    prepareLiquidity: (input) => prepareLiquidity(context, input),
    nextRefund: (input) => nextRefund(context, input),
    ...createTerminationActivities(context),
    advanceRotation: (input) => advanceRotation(context, input),
    prepareMove: (input) => prepareMove(context, input),
    ...createTransactionActivities(context),
    ...createAnchorActivities(context),
    restartLostWorkflows: async () => ({ restarted: await restartLostWorkflows(context) }),
    ...createUnsolicitedActivities(context),
    ...createReconciliationActivities(context),
    ...createUpkeepActivities(context),
  };
}
