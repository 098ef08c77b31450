/** How long holders can claim when nothing else was decided: 90 days. */
export const CLAIM_SECONDS = 90 * 86_400;
