import type { ProposalType } from '../../proposals/rules/proposal.ts';
import { assetSale } from './asset-sale.ts';
import { buy } from './asset-purchase.ts';
import type { ExecutionEffect } from './execution-effect.ts';
import { liquidate } from './liquidate.ts';
import { stake } from './asset-staking.ts';

/** What each type of proposal changes when it is executed (design D27). */
export const executionEffects: Readonly<Record<ProposalType, ExecutionEffect>> = {
  ASSET_SALE: assetSale,
  BUY: buy,
  STAKE: stake,
  LIQUIDATE: liquidate,
};
