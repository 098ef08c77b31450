import { requireApproved } from '../../../proposals/rules/approval.ts';
import type { ProposalEffect } from '../../../proposals/rules/effect.ts';
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
