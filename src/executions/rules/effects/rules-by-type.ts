import type { ProposalType } from '../../../proposals/rules/proposal.ts';
import { assetSaleRules } from './asset-sale.ts';
import { buyRules } from './asset-purchase.ts';
import type { EffectRules } from './effect-rules.ts';
import { liquidateRules } from './liquidate.ts';
import { stakeRules } from './asset-staking.ts';

/** What each type of proposal allows when it is executed (design D27). */
export const effectRules: Readonly<Record<ProposalType, EffectRules>> = {
  ASSET_SALE: assetSaleRules,
  BUY: buyRules,
  STAKE: stakeRules,
  LIQUIDATE: liquidateRules,
};
