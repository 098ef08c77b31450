import { canonicalJson } from '../rules/canonical-json.ts';
import { cosigner } from '../../transactions/routes/example-wallet.ts';

// Recorded on a development stack.

export const proofExample = {
  factId: '01a1ffaf-3e8d-7664-8e97-53a02b4f9940',
  fact: canonicalJson({
    amount: '200000000000',
    castAt: '2026-11-28T19:58:24.717Z',
    decision: 'APPROVE',
    kind: 'vote_cast',
    proposalId: '01a1ffaf-3e29-7c0c-953f-430cfeaa4821',
    replaces: null,
    vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
    voteId: '01a1ffaf-3e8d-7664-8e97-53a02b4f9940',
    wallet: cosigner,
  }),
  leaf: 'e3624664a61081cc76de05ac9f56e3c276aa3c641e65b4be32b45d1e4f6d5552',
  path: [{ side: 'left', hash: 'fc5a5854fe33dfd33ceae8f3256bd46872c4c4f9a62487bf08c8fd4ddf1ac93b' }],
  root: '020f02c1e1ccdaf0c857f603f103f669532b94737dfb1146d2b4ab3e99f8dae4',
  txHash: 'a38664fc9e267c4a45f0ac4331ff4c0b5b9ea9bbe35ca6199f1a9579320047d7',
  status: 'confirmed',
  blockHeight: 734,
  replaced: [],
};
