import { z } from 'zod';
import { ProposalTypeEnum } from './enums.ts';

/** The assets and the effect that a proposal is about. */
export const SettingsResource = z.object({
  assets: z
    .array(z.string())
    .describe('Ids of the assets of the vault that the proposal is about; empty for a purchase and a liquidation'),
  effects: z.array(
    z.object({
      type: ProposalTypeEnum,
      assetIds: z.array(z.string()).describe('Same as `assets`'),
      terms: z
        .record(z.string(), z.string().nullable())
        .describe(
          'Terms that the vote fixes; `null` for a term that it leaves open. ASSET_SALE: price (lovelace in total), buyerAddress. ' +
            'BUY: policyId, assetNameHex, quantity (base units), price (lovelace in total), sellerAddress. STAKE: direction, ' +
            'stakingAddress. LIQUIDATE: remainingAssetsTo, unclaimedLovelaceTo, remainingAssets (asset id and address, ' +
            'pairs separated by commas).',
        ),
    }),
  ),
});
