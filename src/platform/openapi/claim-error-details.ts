const ofTermination = { claimDeadline: 'when the claims end; absent until they open' };

/** As `errorDetails`, of claims from the pot of a vault that ends. */
export const claimErrorDetails = {
  CLAIMS_NOT_OPEN: ofTermination,
  CLAIMS_CLOSED: ofTermination,
  CLAIMS_END_BEFORE_EXECUTION: { ...ofTermination, executionEndsAt: 'when the execution phase would end' },
  CLAIM_TOO_SMALL: { minimumBaseUnits: 'base units that bring one lovelace; null while the pot is empty' },
  CLAIM_EXCEEDS_SUPPLY: { circulatingBaseUnits: 'base units that circulate' },
  CLAIM_OUTPUT_TAKEN: { outputs: 'outputs that are taken, as `<hash>#<index>`' },
};
