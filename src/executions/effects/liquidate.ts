import type { ProposalEffect } from '../../proposals/rules/effect.ts';
import { parseHandedAssets } from '../../termination/rules/handed-assets.ts';
import { setFailureReason, revertLiquidation } from '../../vaults/queries/vault-changes.ts';
import type { Execution } from '../queries/executions.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import { enqueueWorkflowMessage } from '../../platform/temporal/workflow-outbox.ts';
import { vaultWorkflowId } from '../../platform/temporal/workflow-ids.ts';
import { beginTermination } from '../../termination/begin-termination.ts';
import { takeBackTermination } from '../../termination/take-back-termination.ts';
import type { ExecutionEffect } from './execution-effect.ts';

/**
 * Ends the vault: it accepts no stakes and no proposals from the first block on, and its end begins when that is final. A rollback that undoes
 * a final one leaves the end decided until it is certain that the transaction cannot land again.
 */
export const liquidate: ExecutionEffect = {
  async apply(context, { vaultId }) {
    await setFailureReason(context, vaultId, 'liquidated');
  },

  final: beginLiquidation,

  async undo(context, execution) {
    await revertLiquidation(context, execution);
    await signalVault(context, execution.vaultId);
  },

  async abandon(context, execution) {
    await takeBackTermination(context, execution);
    await signalVault(context, execution.vaultId);
  },
};

/** Begins the end of a vault as its LIQUIDATE has decided it, which is final. */
async function beginLiquidation(
  context: TransactionContext,
  { vaultId, effect }: Pick<Execution, 'vaultId' | 'effect'>,
): Promise<void> {
  const { terms } = effect as Extract<ProposalEffect, { type: 'LIQUIDATE' }>;
  const { remainingAssetsTo, unclaimedLovelaceTo, remainingAssets } = terms;
  const recipients = { remainingAssetsTo, unclaimedLovelaceTo, handedAssets: parseHandedAssets(remainingAssets) };
  await beginTermination(context, vaultId, { reason: 'liquidated', recipients });
}

/** A programmed end that has come meanwhile begins now. */
async function signalVault(context: TransactionContext, vaultId: string): Promise<void> {
  const signal = { kind: 'signal', signal: 'liquidationDecided' } as const;
  await enqueueWorkflowMessage(context, vaultWorkflowId(vaultId), signal);
}
