interface Entry {
  readonly action: string;
  /** Type of the resource. */
  readonly resource: string;
  /** Who it names: an API key, one that acts for the wallet in `onBehalfOf`, or the wallet of a session. */
  readonly actor: 'key' | 'keyForWallet' | 'wallet';
}

/** The entry that an operation writes, or the reason why it writes none. */
export type Audited = Entry | { readonly none: string };

const byKey = (action: string, resource: string): Entry => ({ action, resource, actor: 'key' });
const forWallet = (action: string, resource: string): Entry => ({ action, resource, actor: 'keyForWallet' });
const byWallet = (action: string, resource: string): Entry => ({ action, resource, actor: 'wallet' });

/** Every operation but the reads. */
export const auditedOperations: Readonly<Record<string, Audited>> = {
  createVault: byKey('VAULT_CREATED', 'vault'),
  changeVaultSettings: forWallet('VAULT_SETTINGS_CHANGED', 'vault'),
  changeAllowList: forWallet('VAULT_ALLOW_LIST_CHANGED', 'vault'),
  cancelVault: forWallet('VAULT_CANCEL_REQUESTED', 'vault'),
  deleteVault: byKey('VAULT_DELETED', 'vault'),
  replaceAdminEmail: forWallet('VAULT_ADMIN_EMAIL_CHANGED', 'vault'),
  eraseAdminEmail: forWallet('VAULT_ADMIN_EMAIL_ERASED', 'vault'),
  addAsset: forWallet('ASSET_ADD_STARTED', 'asset'),
  createDeposit: forWallet('ASSET_ADD_STARTED', 'asset'),
  removeAsset: forWallet('ASSET_REMOVE_STARTED', 'asset'),
  invest: forWallet('INVESTMENT_STARTED', 'investment'),
  removeInvestment: forWallet('INVESTMENT_REMOVE_STARTED', 'investment'),
  stake: forWallet('STAKE_STARTED', 'stake'),
  unstake: forWallet('STAKE_RETURN_STARTED', 'stake'),
  claim: forWallet('CLAIM_STARTED', 'claim'),
  createProposal: forWallet('PROPOSAL_CREATED', 'proposal'),
  cancelProposal: forWallet('PROPOSAL_CANCELLED', 'proposal'),
  endorseProposal: forWallet('PROPOSAL_ENDORSED', 'proposal'),
  castVote: forWallet('VOTE_CAST', 'vote'),
  revokeVote: forWallet('VOTE_REVOKED', 'vote'),
  freezeExecution: forWallet('EXECUTION_FROZEN', 'proposal'),
  executeProposal: forWallet('PROPOSAL_EXECUTED', 'proposal'),
  announceRotation: byKey('ROTATION_ANNOUNCED', 'vault'),
  cancelRotation: byKey('ROTATION_CANCELLED', 'vault'),
  returnUnsolicited: byKey('UNSOLICITED_RETURN_STARTED', 'vault'),
  addWitnesses: byKey('TRANSACTION_SIGNED', 'transaction'),
  withdrawTransaction: forWallet('TRANSACTION_WITHDRAWN', 'transaction'),
  createNonce: { none: 'A nonce lets nobody in; the login that uses it is recorded' },
  createSession: byWallet('SESSION_STARTED', 'session'),
  endCurrentSession: byWallet('SESSION_ENDED', 'session'),
  endSession: byWallet('SESSION_ENDED', 'session'),
  sendBatch: { none: 'Each of its items is an operation that writes its own entry' },
  registerVaultType: byKey('VAULT_TYPE_REGISTERED', 'vault_type'),
  retireVaultType: byKey('VAULT_TYPE_RETIRED', 'vault_type'),
  registerAssetType: byKey('ASSET_TYPE_REGISTERED', 'asset_type'),
  retireAssetType: byKey('ASSET_TYPE_RETIRED', 'asset_type'),
  createAnnouncement: byKey('ANNOUNCEMENT_CREATED', 'announcement'),
  setPause: byKey('PAUSE_SET', 'pause'),
  endPause: byKey('PAUSE_ENDED', 'pause'),
  putFeatureFlag: byKey('FEATURE_FLAG_CHANGED', 'feature_flag'),
  deleteFeatureFlag: byKey('FEATURE_FLAG_DELETED', 'feature_flag'),
  createApiKey: byKey('API_KEY_CREATED', 'apiKey'),
  rotateApiKey: byKey('API_KEY_ROTATED', 'apiKey'),
  revokeApiKey: byKey('API_KEY_REVOKED', 'apiKey'),
  replaceWalletRoles: byKey('WALLET_ROLES_CHANGED', 'wallet'),
};
