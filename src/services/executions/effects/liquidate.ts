import type { ProposalEffect } from '../../../domain/proposal/effect.ts';
import { setFailureReason, revertLiquidation } from '../../../store/vault-changes.ts';
import { beginTermination } from '../../terminations/begin-termination.ts';
import type { ExecutionEffect } from './execution-effect.ts';

/** Ends the vault: it accepts no stakes and no proposals from the first block on, and its end begins when that is final. */
export const liquidate: ExecutionEffect = {
  apply: (context, { vaultId }) => setFailureReason(context, vaultId, 'liquidated'),

  async final(context, { vaultId, effect }) {
    const { terms } = effect as Extract<ProposalEffect, { type: 'LIQUIDATE' }>;
    await beginTermination(context, vaultId, { reason: 'liquidated', recipients: { ...terms, handedAssets: [] } });
  },

  undo: (context, { vaultId }) => revertLiquidation(context, vaultId),
};
