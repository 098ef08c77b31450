import type { BaseUnits, Lovelace } from '../../platform/units/money.ts';

/** Terms of a sale. `null` means that the vote left the term open, here and in all terms below. */
export interface SaleTerms {
  /** Lovelace for all assets together. */
  readonly price: Lovelace | null;
  readonly buyerAddress: string | null;
}

/** Terms of a purchase: the asset, its seller and its price. */
export interface PurchaseTerms {
  readonly policyId: string;
  readonly assetNameHex: string;
  readonly quantity: BaseUnits;
  /** Lovelace for the whole quantity. */
  readonly price: Lovelace | null;
  readonly sellerAddress: string | null;
}

/** Terms of staking assets at one of the vault's staking addresses (`out`), or of returning them to custody (`back`). */
export interface StakingTerms {
  readonly direction: 'out' | 'back';
  readonly stakingAddress: string;
}

/** The recipients of what a terminated vault still holds; `null` means nobody (design D31). */
export interface LiquidationTerms {
  readonly remainingAssetsTo: string | null;
  readonly unclaimedLovelaceTo: string | null;
  /** Assets with wallets of their own (termination/handed-assets.ts). */
  readonly remainingAssets: string | null;
}

interface EffectOf<Type extends string, Terms> {
  readonly type: Type;
  /** Ids of assets in the vault; empty for BUY and LIQUIDATE. */
  readonly assetIds: readonly string[];
  readonly terms: Terms;
}

/** What a proposal does when it is executed (design D27). */
export type ProposalEffect =
  | EffectOf<'ASSET_SALE', SaleTerms>
  | EffectOf<'BUY', PurchaseTerms>
  | EffectOf<'STAKE', StakingTerms>
  | EffectOf<'LIQUIDATE', LiquidationTerms>;
