import { cosigner } from '../../server/example-wallet.ts';

// Recorded on a development stack.

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
  circulatingBaseUnits: '950000000000',
  thresholds: {
    creation: { required: 1, actual: 20.35 },
    start: { required: 60, actual: 67.85 },
    vote: { required: 10, actual: 53.57 },
    turnout: { required: 10, actual: 53.57 },
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
