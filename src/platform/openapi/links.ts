import type { Route } from '../http/route.ts';

/** Where the response of an operation names what other operations take in their path: a JSON pointer for each parameter. */
const sources: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  createVault: { vaultId: '/vault_id', hash: '/transaction/tx_hash' },
  changeVaultSettings: { vaultId: '/data/id', hash: '/data/transaction/tx_hash' },
  changeAllowList: { hash: '/data/transaction/tx_hash' },
  cancelVault: { vaultId: '/data/id', hash: '/data/transaction/hash' },
  deleteVault: { hash: '/data/transaction/hash' },
  addAsset: { vaultId: '/vault_id', assetId: '/asset_id', hash: '/transaction/tx_hash' },
  removeAsset: { hash: '/data/transaction/tx_hash' },
  createDeposit: { vaultId: '/data/vaultId', assetId: '/data/assets/0/assetId', hash: '/data/transaction/hash' },
  invest: { vaultId: '/data/vaultId', investmentId: '/data/investmentId', hash: '/data/transaction/hash' },
  removeInvestment: { hash: '/data/transaction/hash' },
  returnUnsolicited: { vaultId: '/data/vaultId', hash: '/data/transaction/hash' },
  stake: { vaultId: '/data/vaultId', stakeId: '/data/id', hash: '/data/transaction/hash' },
  claim: { vaultId: '/data/vaultId', claimId: '/data/id', hash: '/data/transaction/hash' },
  announceRotation: { vaultId: '/data/vaultId', rotationId: '/data/id' },
  unstake: { stakeId: '/data/id', hash: '/data/transaction/hash' },
  createProposal: { vaultId: '/vault_id', proposalId: '/proposal_id', hash: '/transaction/tx_hash' },
  endorseProposal: { proposalId: '/data/id', hash: '/data/transaction/hash' },
  cancelProposal: { proposalId: '/data/id', hash: '/data/transaction/hash' },
  castVote: { proposalId: '/proposal_id', voteId: '/vote_id', hash: '/transaction/tx_hash' },
  revokeVote: { proposalId: '/data/proposalId', voteId: '/data/id', hash: '/data/transaction/hash' },
  freezeExecution: { proposalId: '/data/proposalId', hash: '/data/transaction/hash' },
  addWitnesses: { hash: '/data/hash' },
  executeProposal: { vaultId: '/vault_id', proposalId: '/proposal_id', hash: '/transaction/tx_hash' },
  createSession: { sessionId: '/data/id' },
  createApiKey: { keyId: '/data/id' },
  rotateApiKey: { keyId: '/data/id' },
};

/** The operations whose transaction wallets sign; the platform alone signs the others. */
const signedByWallets = ['addAsset', 'createDeposit', 'invest', 'stake', 'unstake', 'claim', 'freezeExecution'];
const ofUnsigned = ['addWitnesses', 'withdrawTransaction'];

/** The operations that can follow one, with the parameters that its response gives them. */
export function linksOf({ operationId }: Route<never>, routes: readonly Route<never>[]) {
  const pointers = sources[operationId] ?? {};
  const followers = routes.flatMap((route) => {
    const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    if (names.length === 0 || !names.every((name) => name in pointers)) return [];
    if (ofUnsigned.includes(route.operationId) && !signedByWallets.includes(operationId)) return [];
    const parameters = Object.fromEntries(names.map((name) => [name, `$response.body#${pointers[name] ?? ''}`]));
    return [[route.operationId, { operationId: route.operationId, parameters }] as const];
  });
  return Object.fromEntries(followers);
}
