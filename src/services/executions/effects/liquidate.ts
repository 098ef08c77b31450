import { buildDecision } from '../../../chain/build/decision.ts';
import { requireApproved } from '../../../domain/proposal/approval.ts';
import { type ProposalEffect } from '../../../domain/proposal/effect.ts';
import { setFailureReason, revertLiquidation } from '../../../store/vault-changes.ts';
import { enqueueWorkflowMessage } from '../../../store/workflow-outbox.ts';
import { vaultWorkflowId } from '../../../temporal/workflow-ids.ts';
import { type ExecutionEffect, requireOperator } from './effect.ts';

type Liquidation = Extract<ProposalEffect, { type: 'LIQUIDATE' }>;

/** The decision to end the vault: from here on it takes neither stakes nor proposals. */
export const liquidate: ExecutionEffect<Liquidation> = {
  mayNeedOperator: true,
  partner: () => null,

  plan({ approved, requested }) {
    requireApproved(approved, requested, null);
    return approved;
  },

  buildTransaction(material) {
    const { chain, custody, proposalId, ttlSlot } = material;
    return buildDecision(chain, {
      custody,
      proposalId,
      decision: 'liquidate',
      operator: requireOperator(material),
      ttlSlot,
    });
  },

  async apply({ tx, ids, now }, { vaultId }) {
    await setFailureReason(tx, vaultId, 'liquidated', now);
    await enqueueWorkflowMessage({ tx, ids }, vaultWorkflowId(vaultId), {
      kind: 'signal',
      signal: 'liquidationDecided',
    });
  },

  undo: ({ tx, now }, { vaultId }) => revertLiquidation(tx, vaultId, now),
};
