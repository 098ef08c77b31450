const policyId = 'b3e2f8d1a4c5967078123456789abcdef0123456789abcdef0123456';

export const createDepositExamples = {
  twoAssets: {
    assets: [
      { policyId, assetName: 'HarbourLoft001', metadata: { creator: 'Harbour Studio' } },
      { policyId, assetName: 'Harbour', type: 'CNT', quantity: '2500.5' },
    ],
  },
};
