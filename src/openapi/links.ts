import type { Route } from '../server/route.ts';

/** Where the response of an operation names what other operations take in their path: a JSON pointer for each parameter. */
const sources: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  createVault: { vaultId: '/vault_id', hash: '/transaction/tx_hash' },
  addAsset: { vaultId: '/vault_id', assetId: '/asset_id', hash: '/transaction/tx_hash' },
  createDeposit: { vaultId: '/data/vaultId', hash: '/data/transaction/hash' },
  invest: { vaultId: '/data/vaultId', investmentId: '/data/investmentId', hash: '/data/transaction/hash' },
  stake: { vaultId: '/data/vaultId', stakeId: '/data/id', hash: '/data/transaction/hash' },
  unstake: { stakeId: '/data/id', hash: '/data/transaction/hash' },
  createProposal: { vaultId: '/vault_id', proposalId: '/proposal_id', hash: '/transaction/tx_hash' },
  castVote: { proposalId: '/proposal_id', voteId: '/vote_id' },
  freezeExecution: { proposalId: '/data/proposalId', hash: '/data/transaction/hash' },
  executeProposal: { vaultId: '/vault_id', proposalId: '/proposal_id', hash: '/transaction/tx_hash' },
  createSession: { sessionId: '/data/id' },
  createApiKey: { keyId: '/data/id' },
};

/** The operations that can follow one, with the parameters that its response gives them. */
export function linksOf({ operationId }: Route<never>, routes: readonly Route<never>[]) {
  const pointers = sources[operationId] ?? {};
  const followers = routes.flatMap((route) => {
    const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    if (names.length === 0 || !names.every((name) => name in pointers)) return [];
    const parameters = Object.fromEntries(names.map((name) => [name, `$response.body#${pointers[name] ?? ''}`]));
    return [[route.operationId, { operationId: route.operationId, parameters }] as const];
  });
  return Object.fromEntries(followers);
}
