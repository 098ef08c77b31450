import { contributor } from '../../transactions/routes/example-wallet.ts';
import { exampleDepositScript } from '../../transactions/routes/example-scripts.ts';

// Recorded on a development stack.

export const assetExample = {
  assetId: '01a1ffab-83c3-7331-9786-026c1c193573',
  vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  type: 'NFT',
  contractAddress: '7cd008e80052b1c34e30100f278b0b6b280a051078d9e007b64592fc',
  tokenId: '486172626f75724c6f6674303031',
  assetNameHex: '486172626f75724c6f6674303031',
  quantity: 1,
  quantityBaseUnits: '1',
  decimals: 0,
  floorPrice: 250000000,
  lastValuation: '2026-11-22T19:54:07.310Z',
  priceSource: 'embedded',
  currentValue: '250000000',
  settledValue: '250000000',
  valuationMethod: 'floor_price',
  status: 'LOCKED',
  leaving: false,
  releaseReason: null,
  stakingAddress: null,
  deliveryDeposit: '3000000',
  addedBy: contributor,
  addedAt: '2026-11-22T19:54:07.318Z',
  lockedAt: '2026-11-22T19:54:08.125Z',
  updatedAt: '2026-11-22T19:54:08.125Z',
  metadata: { name: 'HarbourLoft001', imageUrl: '', attributes: { creator: 'Harbour Studio' }, description: '' },
  ownerScript: exampleDepositScript(contributor),
};

export const addAssetExamples = {
  nft: {
    policy_id: 'b3e2f8d1a4c5967078123456789abcdef0123456789abcdef0123456',
    asset_name: 'HarbourLoft001',
    valuation_method: 'floor_price',
    metadata: { creator: 'Harbour Studio', legal_proof: 'https://harbour.example/deed.pdf' },
  },
  cnt: {
    policy_id: 'b3e2f8d1a4c5967078123456789abcdef0123456789abcdef0123456',
    asset_name: 'Harbour',
    type: 'CNT',
    quantity: '2500.5',
  },
} as const;
