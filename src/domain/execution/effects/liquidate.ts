import { requireApproved } from '../../proposal/approval.ts';
import type { ProposalEffect } from '../../proposal/effect.ts';
import type { EffectRules } from './effect-rules.ts';

/** The vault ends. */
export const liquidateRules: EffectRules<Extract<ProposalEffect, { type: 'LIQUIDATE' }>> = {
  mayNeedOperator: true,
  partner: () => null,

  plan({ approved, requested }) {
    requireApproved(approved, requested, null);
    return approved;
  },
};
