import { buildDecision } from '../../../chain/build/decision.ts';
import { requireApproved } from '../../../domain/proposal/approval.ts';
import { type ProposalEffect } from '../../../domain/proposal/effect.ts';
import { setFailureReason, revertLiquidation } from '../../../store/vault-changes.ts';
import { enqueueWorkflowMessage } from '../../../store/workflow-outbox.ts';
import { vaultWorkflowId } from '../../../temporal/workflow-ids.ts';
import { type ExecutionEffect, requireOperator } from './effect.ts';

type Liquidation = Extract<ProposalEffect, { type: 'LIQUIDATE' }>;

/** Ends the vault: from then on it accepts no stakes and no proposals. */
export const liquidate: ExecutionEffect<Liquidation> = {
  mayNeedOperator: true,
  partner: () => null,

  plan({ approved, requested }) {
    requireApproved(approved, requested, null);
    return approved;
  },

  buildTransaction(inputs) {
    const { chain, custody, proposalId, ttlSlot } = inputs;
    return buildDecision(chain, {
      custody,
      proposalId,
      decision: 'liquidate',
      operator: requireOperator(inputs),
      ttlSlot,
    });
  },

  async apply(context, { vaultId }) {
    await setFailureReason(context.tx, vaultId, 'liquidated', context.now);
    await enqueueWorkflowMessage(context, vaultWorkflowId(vaultId), {
      kind: 'signal',
      signal: 'liquidationDecided',
    });
  },

  undo: ({ tx, now }, { vaultId }) => revertLiquidation(tx, vaultId, now),
};
