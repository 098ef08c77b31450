import { createAnchorActivities } from '../activities/anchors.ts';
import { createLostWorkflowActivities } from '../activities/lost-workflows.ts';
import { createProposalActivities } from '../activities/proposals.ts';
import { createReconciliationActivities } from '../activities/reconciliation.ts';
import { createRotationActivities } from '../activities/rotations.ts';
import { createSettlementActivities } from '../activities/settlements.ts';
import { createTerminationActivities } from '../activities/terminations.ts';
import { createVoteActivities } from '../activities/votes.ts';
import { createTransactionActivities } from '../activities/transactions.ts';
import { createUnsolicitedActivities } from '../activities/unsolicited.ts';
import { createUpkeepActivities } from '../activities/upkeep.ts';
import { createCreationActivities, createVaultActivities } from '../activities/vaults.ts';
import type { Platform } from '../src/dependencies.ts';
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

/** The activities of all workflows. */
export function createActivities(context: WorkerContext & Platform): Activities {
  return {
    ...createVaultActivities(context),
    ...createProposalActivities(context),
    ...createVoteActivities(context),
    ...createCreationActivities(context),
    ...createSettlementActivities(context),
    ...createTerminationActivities(context),
    ...createRotationActivities(context),
    ...createTransactionActivities(context),
    ...createAnchorActivities(context),
    ...createLostWorkflowActivities(context),
    ...createUnsolicitedActivities(context),
    ...createReconciliationActivities(context),
    ...createUpkeepActivities(context),
  };
}
