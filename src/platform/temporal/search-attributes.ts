import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** An operator finds workflows by these in the Temporal UI. Registered by the embedded stack and by the compose file's namespace job. */
export const searchAttributes = {
  vaultId: defineSearchAttributeKey('VaultId', SearchAttributeType.KEYWORD),
  vaultStatus: defineSearchAttributeKey('VaultStatus', SearchAttributeType.KEYWORD),
  phase: defineSearchAttributeKey('Phase', SearchAttributeType.KEYWORD),
  phaseEndsAt: defineSearchAttributeKey('PhaseEndsAt', SearchAttributeType.DATETIME),
  network: defineSearchAttributeKey('Network', SearchAttributeType.KEYWORD),
};
