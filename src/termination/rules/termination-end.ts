/** Why the claims of a vault are over: everything of value has been paid out, or time has (design D31). */
export const terminationEnds = ['nothing_left', 'claim_deadline'] as const;
export type TerminationEnd = (typeof terminationEnds)[number];
