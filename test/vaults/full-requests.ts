interface Owner {
  readonly address: string;
  readonly policyId: string;
}

/** A request to add an asset with every field but `utxos` and `stake_address`, which exclude each other. */
export const fullAsset = (owner: Owner) => ({
  policy_id: owner.policyId,
  asset_name: 'Grain',
  valuation_method: 'dex_price',
  type: 'CNT',
  quantity: '10',
  wallet_address: owner.address,
  metadata: {
    creator: 'a mill',
    legal_proof: 'https://example.com/proof.pdf',
    name: 'Grain',
    description: 'Wheat of the year',
    image_url: 'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi',
    category: 'commodity',
  },
});

/** A deposit with every field but `utxos` and `stakeAddress`. */
export const fullDeposit = (owner: Owner) => ({
  walletAddress: owner.address,
  assets: [
    {
      policyId: owner.policyId,
      assetName: 'Grain',
      type: 'CNT',
      quantity: '10',
      valuationMethod: 'dex_price',
      metadata: {
        creator: 'a mill',
        legalProof: 'https://example.com/proof.pdf',
        name: 'Grain',
        description: 'Wheat of the year',
        imageUrl: 'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi',
        category: 'commodity',
      },
    },
  ],
});
