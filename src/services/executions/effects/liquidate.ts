import { setFailureReason, revertLiquidation } from '../../../store/vault-changes.ts';
import { enqueueWorkflowMessage } from '../../../store/workflow-outbox.ts';
import { vaultWorkflowId } from '../../../temporal/workflow-ids.ts';
import type { ExecutionEffect } from './execution-effect.ts';

/** Ends the vault: from then on it accepts no stakes and no proposals. */
export const liquidate: ExecutionEffect = {
  async apply(context, { vaultId }) {
    await setFailureReason(context, vaultId, 'liquidated');
    await enqueueWorkflowMessage(context, vaultWorkflowId(vaultId), {
      kind: 'signal',
      signal: 'liquidationDecided',
    });
  },

  undo: (context, { vaultId }) => revertLiquidation(context, vaultId),
};
