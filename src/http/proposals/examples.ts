import { canonicalJson } from '../../domain/anchor/canonical-json.ts';
import { contributor, cosigner, investor } from '../server/example-wallet.ts';

// Answers about the governance of the vault of `vault-examples.ts`.

export const stakeExample = {
  id: '01a1ffab-ac07-78b4-b5bf-d4db3a884ae8',
  vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  wallet: cosigner,
  amount: 203571.428571,
  amountBaseUnits: '203571428571',
  status: 'LOCKED',
  lockedUntil: '2026-12-04T19:58:24.617Z',
  votingPower: 203571.428571,
  votingPowerBaseUnits: '203571428571',
  usedPower: 200000,
  usedPowerBaseUnits: '200000000000',
  createdAt: '2026-11-23T19:55:14.158Z',
  updatedAt: '2026-11-28T19:58:24.717Z',
  transactions: { stakeHash: 'ff024d128d463ccb17d31ab64f13111d525c2395054e2974c644123525ad76d7' },
  finalAt: '2026-11-23T19:55:16.630Z',
  releaseReason: null,
  scriptAddress: 'addr_test1wzsy5czj60v6yxhzfqa773gsrvy7ljxav3qgg69c5mxuhsqyykava',
  releaseSlot: 160343714,
  ownerAloneFrom: '2027-11-23T19:55:14.000Z',
  allowedActions: [{ action: 'unstake', allowed: false, reason: 'STAKE_LOCKED' }],
};

export const powerExample = {
  vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  staked: 271428.571429,
  stakedBaseUnits: '271428571429',
  votingPower: 271428.571429,
  votingPowerBaseUnits: '271428571429',
  usedPower: 271428.571429,
  usedPowerBaseUnits: '271428571429',
};

export const cosignerExample = {
  keyHash: '3346a630e6972bf38cce87219db1d63061e7cd324cad88c18e504f29',
  wallet: contributor,
  staked: 271428.571429,
  stakedBaseUnits: '271428571429',
};

export const proposalExample = {
  id: '01a1ffab-b934-7c5b-93c8-e0b56ae57e57',
  vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  type: 'ASSET_SALE',
  title: 'Sell the loft',
  description: 'Somebody offers more than its last valuation.',
  status: 'ACTIVE',
  failureReason: null,
  phase: 'voting',
  phaseEndsAt: '2026-11-26T19:55:18.042Z',
  overdueSeconds: 0,
  draftExpiresAt: '2026-11-30T19:55:17.563Z',
  votingPhase: {
    duration: '03:00:00',
    startTime: '2026-11-23T19:55:18.042Z',
    endTime: '2026-11-26T19:55:18.042Z',
    status: 'ACTIVE',
    quorum: 10,
  },
  lockPhase: {
    duration: '01:00:00',
    startTime: '2026-11-26T19:55:18.042Z',
    endTime: '2026-11-27T19:55:18.042Z',
    status: 'PENDING',
  },
  executionPhase: {
    duration: '02:00:00',
    startTime: '2026-11-27T19:55:18.042Z',
    endTime: '2026-11-29T19:55:18.042Z',
    status: 'PENDING',
    requiredCosigners: 1,
  },
  settings: {
    assets: ['01a1ffab-83c3-7331-9786-026c1c193573'],
    effects: [
      {
        type: 'ASSET_SALE',
        assetIds: ['01a1ffab-83c3-7331-9786-026c1c193573'],
        terms: { price: '260000000', buyerAddress: null },
      },
    ],
  },
  votes: {
    approve: 508928.571429,
    reject: 0,
    totalVoted: 508928.571429,
    uniqueVoters: 2,
    approveBaseUnits: '508928571429',
    rejectBaseUnits: '0',
    totalVotedBaseUnits: '508928571429',
  },
  eligiblePowerBaseUnits: '950000000000',
  thresholds: {
    creation: { required: 1, actual: 20.35 },
    start: { required: 60, actual: 67.85 },
    vote: { required: 10, actual: 53.57 },
    execution: { required: 51, actual: 100 },
  },
  cosigningThreshold: 15,
  allowedActions: [
    { action: 'endorse', allowed: false, reason: 'ENDORSING_CLOSED' },
    { action: 'vote', allowed: true },
    { action: 'revokeVote', allowed: true },
    { action: 'cancel', allowed: false, reason: 'INSUFFICIENT_PERMISSIONS' },
    { action: 'execute', allowed: false, reason: 'EXECUTION_NOT_OPEN' },
  ],
  execution: null,
  closing: null,
  proof: '/api/v1/anchors/01a1ffab-b934-7c5b-93c8-e0b56ae57e57/proof',
  createdBy: cosigner,
  createdAt: '2026-11-23T19:55:17.563Z',
  updatedAt: '2026-11-23T19:55:18.042Z',
};

export const voteExample = {
  id: '01a1ffab-bca3-7191-b122-b892674b81e1',
  proposalId: '01a1ffab-b934-7c5b-93c8-e0b56ae57e57',
  wallet: investor,
  decision: 'APPROVE',
  amount: 271428.571429,
  amountBaseUnits: '271428571429',
  status: 'CONFIRMED',
  proof: '/api/v1/anchors/01a1ffab-bca3-7191-b122-b892674b81e1/proof',
  fact: canonicalJson({
    amount: '271428571429',
    castAt: '2026-11-23T19:55:18.441Z',
    decision: 'APPROVE',
    kind: 'vote_cast',
    proposalId: '01a1ffab-b934-7c5b-93c8-e0b56ae57e57',
    replaces: '01a1ffab-bc3f-71f0-9cb9-63bb61080ceb',
    vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
    voteId: '01a1ffab-bca3-7191-b122-b892674b81e1',
    wallet: investor,
  }),
  confirmationTx: '880df36c92509726eefe4310d995591738a3588cb0c82a4958a4cb149f41aa59',
  castAt: '2026-11-23T19:55:18.441Z',
  confirmedAt: '2026-11-23T19:55:18.840Z',
};

export const executionExample = {
  id: '01a1ffac-9423-715e-a82b-eef7d0d4d2fb',
  proposalId: '01a1ffab-b934-7c5b-93c8-e0b56ae57e57',
  status: 'FROZEN',
  reason: null,
  frozenBy: investor,
  executedBy: null,
  cosigners: [contributor, cosigner],
  partner: investor,
  action: {
    type: 'sell_asset',
    details: {
      price: 260000000,
      policy_id: '7cd008e80052b1c34e30100f278b0b6b280a051078d9e007b64592fc',
      asset_name: 'HarbourLoft001',
    },
  },
  transaction: {
    hash: 'f790848b0ea13dda265b695081fc90cbf40da5d033bc87019ce6454e7fdab73a',
    status: 'awaiting_signatures',
    blockHeight: null,
    expiresAt: '2026-11-29T19:55:18.000Z',
    unsignedTx: '84a500d9010282825820bc4e…',
  },
  multiSignature: {
    hash: 'f790848b0ea13dda265b695081fc90cbf40da5d033bc87019ce6454e7fdab73a',
    signatures: [],
    signers: [],
    threshold: 3,
    missing: [contributor, cosigner, investor],
  },
  createdAt: '2026-11-27T19:55:21.784Z',
  executedAt: null,
};

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
