/** The steps in which a settled vault ends, in their order (design D31). */
export const terminationSteps = [
  'end_proposals',
  'gather_pot',
  'hand_over',
  'claims',
  'pay_remainder',
  'close_vault',
] as const;
export type TerminationStep = (typeof terminationSteps)[number];
