import type { AssetStatus } from '../../../assets/rules/asset.ts';
import type { ProposalEffect } from '../../../proposals/rules/effect.ts';
import type { Lovelace } from '../../../platform/units/money.ts';
import type { VaultTerms } from '../../../vaults/rules/vault.ts';
import type { BoughtAsset } from '../execution.ts';

/** The approved effect, the requested one, and the wallet that executes. */
export interface EffectRequest<Effect extends ProposalEffect = ProposalEffect> {
  readonly approved: Effect;
  readonly requested: ProposalEffect;
  /** Wallet. */
  readonly executor: string;
}

/** An asset of a proposal in its current state. */
export interface AffectedAsset {
  readonly id: string;
  readonly status: AssetStatus;
  /** The address where the vault has staked it; null in custody. */
  readonly stakingAddress: string | null;
}

/** The attributes of a vault that decide what it may do. */
export interface ExecutingVault {
  readonly terms: Pick<VaultTerms, 'assetWhitelist' | 'assetTypes' | 'maxAssets'>;
  /** Of its own NFT. */
  readonly policyId: string;
  /** Its own tokens: policy id + name; null before they are minted. */
  readonly ftUnit: string | null;
  readonly countedAssets: number;
  /** Where the vault may stake its assets. */
  readonly stakingAddresses: readonly string[];
}

/** A request with everything that decides whether it is allowed. */
export interface EvaluatedRequest<Effect extends ProposalEffect = ProposalEffect> extends EffectRequest<Effect> {
  readonly assets: readonly AffectedAsset[];
  /** Of the assets sold or bought; null when the vote fixed the price, or when there is none. */
  readonly valuation: Lovelace | null;
  readonly vault: ExecutingVault;
  /** The type and price of a bought asset; null when nothing is bought. */
  readonly bought: BoughtAsset | null;
}

/** The rules of one type of proposal. They receive only effects of that type. */
export interface EffectRules<Effect extends ProposalEffect = ProposalEffect> {
  /** Whether the operator may have to pay, because the vault has too little ADA. */
  readonly mayNeedOperator: boolean;
  /** The wallet that signs besides the vault, and pays or is paid; null when there is none. */
  partner(request: EffectRequest<Effect>): string | null;
  /** The effect with no term left open. Throws the error of a request that is not allowed. */
  plan(request: EvaluatedRequest<Effect>): Effect;
}
