import { refundReasonOf } from '../src/vaults/rules/vault.ts';
import { planSettlement, priceAssets } from '../src/settlement/plan-settlement.ts';
import { areDepositsFinal } from '../src/vaults/transitions.ts';
import { holdForOperator } from '../src/vaults/holds.ts';
import { failVault, terminateVault } from '../src/vaults/end-vault.ts';
import { lockVault, readSchedule, openOrCloseWindow } from '../src/vaults/windows.ts';
import { prepareCreation } from '../src/vaults/create-vault.ts';
import type { WorkerContext } from '../src/worker-context.ts';
import { getVault } from '../src/vaults/queries/vaults.ts';
import type {
  PreparationActivities,
  VaultActivities,
  VaultPlanningActivities,
} from '../src/platform/temporal/activity-types.ts';

type Context = Pick<
  WorkerContext,
  'db' | 'unitOfWork' | 'ledger' | 'keys' | 'priceSource' | 'durationBounds' | 'lpMinimum' | 'onTransition'
>;

/** The steps of a vault's life that send nothing to the ledger. */
export function createVaultActivities(context: Context): VaultActivities & VaultPlanningActivities {
  const { db, unitOfWork } = context;
  return {
    readSchedule: ({ vaultId }) => readSchedule(db, vaultId),
    openOrCloseWindow: (input) => openOrCloseWindow(context, input),
    async readFailure({ vaultId }) {
      const { failedBecause, status } = await getVault(db, vaultId);
      return { reason: refundReasonOf(failedBecause), status };
    },
    depositsAreFinal: async ({ vaultId }) => ((await areDepositsFinal(db, vaultId)) ? true : null),
    priceAssets: async (input) => ((await priceAssets(context, input)) ? true : null),
    planSettlement: (input) => planSettlement(context, input),
    holdForFailures: ({ vaultId, now }) =>
      unitOfWork((transaction) => holdForOperator({ ...transaction, now }, vaultId, 'repeated_failures')),
    failVault: (input) => failVault(context, input),
    lockVault: (input) => lockVault(context, input),
    terminateVault: (input) => terminateVault(context, input),
  };
}

type CreationContext = Parameters<typeof prepareCreation>[0];

/** The transaction that creates a vault, when the one the api built has expired. */
export function createCreationActivities(context: CreationContext): Pick<PreparationActivities, 'prepareCreation'> {
  return { prepareCreation: (input) => prepareCreation(context, input) };
}
