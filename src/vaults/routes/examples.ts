import { admin } from '../../transactions/routes/example-wallet.ts';

// Recorded on a development stack.

const vaultFields = {
  id: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  name: 'Harbour Loft',
  contractAddress: 'addr_test1wpzwp83e6r6l89ue66pnp6q5xxzawawcusf3vgl7e0rv6gg7sfylu',
  type: 'PUBLIC',
  status: 'LOCKED',
  phase: 'governance',
  phaseEndsAt: null,
  overdueSeconds: 0,
  serverTime: '2026-11-28T19:56:51.396Z',
  holds: [],
  allowedActions: [
    { action: 'addAsset', allowed: false, reason: 'ASSET_WINDOW_CLOSED' },
    { action: 'removeAsset', allowed: false, reason: 'ASSET_WINDOW_CLOSED' },
    { action: 'invest', allowed: false, reason: 'INVESTMENT_WINDOW_CLOSED' },
    { action: 'stake', allowed: true, reason: null },
    { action: 'propose', allowed: true, reason: null },
    { action: 'claim', allowed: false, reason: 'CLAIMS_NOT_OPEN' },
    { action: 'rotate', allowed: false, reason: 'INSUFFICIENT_PERMISSIONS' },
    { action: 'changeAllowList', allowed: true, reason: null },
    { action: 'changeSettings', allowed: true, reason: null },
    { action: 'cancel', allowed: false, reason: 'VAULT_NOT_CANCELLABLE' },
    { action: 'delete', allowed: false, reason: 'INSUFFICIENT_PERMISSIONS' },
  ],
  assetTypes: ['NFT', 'CNT'],
  investorListEnabled: false,
  assetWindow: {
    startTime: '2026-11-22T19:54:07.200Z',
    endTime: '2026-11-23T19:54:07.200Z',
    duration: '01:00:00',
    status: 'COMPLETED',
  },
  investmentWindow: {
    startTime: '2026-11-22T19:54:07.200Z',
    endTime: '2026-11-23T19:54:07.200Z',
    duration: '01:00:00',
    status: 'COMPLETED',
    valuationType: 'LBE',
  },
  fractionalization: {
    percentage: 50,
    tokenSupply: 1000000,
    tokenSupplyBaseUnits: '1000000000000',
    tokenDecimals: 6,
    tokenAddress: '109a900326615db4574e03a79fbd1949875265b53e6209a4a321b0720014df10486172626f7572204c6f6674',
  },
  investment: { reserve: 20, liquidityPool: 10 },
  governance: {
    creationThreshold: 1,
    startThreshold: 5,
    voteThreshold: 10,
    executionThreshold: 51,
    cosigningThreshold: 10,
    votingDuration: null,
    lockDuration: null,
    executionDuration: null,
    requiredCosigners: 1,
    cosignerKeyHashes: [],
    stakingAddresses: [],
  },
  termination: {
    type: 'DAO',
    fdp: 0,
    duration: null,
    reason: null,
    steps: [],
    pot: null,
    claimDeadline: null,
    remainingAssets: [],
    remainingAssetsTo: null,
    unclaimedAdaTo: null,
    endedBecause: null,
  },
  settlesBy: '2026-11-30T19:54:07.200Z',
  cancelRequestedAt: null,
  creationConfirmedAt: '2026-11-22T19:54:08.125Z',
  lockedAt: '2026-11-23T19:54:10.058Z',
  terminatedAt: null,
  createdBy: admin,
  createdAt: '2026-11-22T19:54:07.200Z',
  updatedAt: '2026-11-23T19:54:10.058Z',
  metadata: {
    city: 'Rotterdam',
    assetSettings: { floorPricePercentage: 100, maxShare: 100, maxAssets: 100, countedAssets: 2 },
  },
};

const priceSources = ['market', 'admin'];

export const vaultExample = {
  ...vaultFields,
  assetWhitelist: [],
  contributorWhitelist: [],
  investorWhitelist: [],
  customPrices: [],
  typeRules: {
    readers: 'anyone',
    contributors: 'anyone',
    investors: 'anyone',
    valuationTypes: ['FIXED', 'LBE'],
    assetTypes: [],
  },
  assetTypeRules: [
    { name: 'NFT', base: 'NFT', minQuantity: 1, maxQuantity: 1, priceSources },
    { name: 'CNT', base: 'CNT', minQuantity: 1, maxQuantity: 1_000_000, priceSources },
  ],
};

export const listedVaultExample = { ...vaultFields, whitelistCounts: { assets: 0, contributors: 0, investors: 0 } };
