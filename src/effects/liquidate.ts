import { buildDecision } from '../chain/build-decision.ts';
import { type ProposalEffect, requireApproved } from '../domain/proposal-effect.ts';
import { undecideLiquidation } from '../store/executions.ts';
import { decideFailure } from '../store/vaults.ts';
import { noticeWorkflow } from '../store/workflow-notices.ts';
import { vaultWorkflowId } from '../temporal/workflow-ids.ts';
import type { ExecutionEffect } from './effect.ts';

type Liquidation = Extract<ProposalEffect, { type: 'LIQUIDATE' }>;

/** The decision to end the vault: from here on it takes neither stakes nor proposals. */
export const liquidate: ExecutionEffect<Liquidation> = {
  partner: () => null,

  plan({ approved, asked }) {
    requireApproved(approved, asked, null);
    return approved;
  },

  buildTransaction({ chain, custody, proposalId, operator, ttlSlot }) {
    if (!operator) throw new Error('a decision is paid for by the operator');
    return buildDecision(chain, { custody, proposalId, word: 'liquidate', operator, ttlSlot });
  },

  async apply({ tx, ids, now }, { vaultId }) {
    await decideFailure(tx, vaultId, 'liquidated', now);
    await noticeWorkflow(tx, ids, vaultWorkflowId(vaultId), { kind: 'signal', signal: 'liquidationDecided' });
  },

  undo: ({ tx, now }, { vaultId }) => undecideLiquidation(tx, vaultId, now),
};
