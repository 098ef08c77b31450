import { type BaseUnits, type BasisPoints } from '../units/money.ts';
import { type AssetType } from '../asset/asset.ts';
import { transitions } from '../transitions.ts';

export const vaultTypes = ['PUBLIC', 'PRIVATE', 'SEMI_PRIVATE'] as const;
export type VaultType = (typeof vaultTypes)[number];

export const vaultStatuses = ['DRAFT', 'ACTIVE', 'LOCKED', 'TERMINATED'] as const;
export type VaultStatus = (typeof vaultStatuses)[number];

export const valuationTypes = ['FIXED', 'LBE'] as const;
/** FIXED counts an asset at the price it was contributed at, LBE at the price when the asset window closed. */
export type ValuationType = (typeof valuationTypes)[number];

export const terminationReasons = [
  'no_assets',
  'reserve_not_reached',
  'lp_below_minimum',
  'cancelled',
  'settlement_deadline',
  'programmed_end',
  'floor_price_deviation',
  'liquidated',
] as const;
/** Why a vault ended (design D7). */
export type TerminationReason = (typeof terminationReasons)[number];

const endSettled: readonly TerminationReason[] = ['programmed_end', 'floor_price_deviation', 'liquidated'];

/** Why a vault's deposits go back to their owners; null when they do not: what has settled is no deposit any more (design D31). */
export function refundReasonOf(endsBecause: TerminationReason | null): TerminationReason | null {
  return endsBecause === null || endSettled.includes(endsBecause) ? null : endsBecause;
}

/** Shares of power or supply that proposals must reach (design D22). */
export interface GovernanceThresholds {
  readonly creation: BasisPoints;
  readonly start: BasisPoints;
  readonly vote: BasisPoints;
  readonly execution: BasisPoints;
  readonly cosigning: BasisPoints;
}

/** How a vault may end; `fdp` is the tolerated fall of its value, 0 for any; `duration` counts seconds from lock. */
export type TerminationTerms =
  | { readonly type: 'DAO'; readonly fdp: BasisPoints }
  | { readonly type: 'PROGRAMMED'; readonly fdp: BasisPoints; readonly duration: number };

/** What a vault's creator decides. An empty asset whitelist takes any policy. */
export interface VaultTerms {
  readonly type: VaultType;
  readonly assetTypes: readonly AssetType[];
  readonly assetWhitelist: readonly string[];
  readonly contributorWhitelist: readonly string[];
  readonly investorWhitelist: readonly string[];
  readonly valuationType: ValuationType;
  readonly floorPricePercentage: BasisPoints;
  readonly maxAssets: number;
  readonly reserve: BasisPoints;
  readonly lpPercentage: BasisPoints;
  readonly ftPercentage: BasisPoints;
  readonly ftSupply: BaseUnits;
  readonly ftDecimals: number;
  readonly governance: GovernanceThresholds;
  readonly termination: TerminationTerms;
}

/** The next status of a vault; throws INVALID_TRANSITION (design D6). */
export const vaultTransition = transitions<VaultStatus>(
  'vault',
  { DRAFT: ['ACTIVE', 'TERMINATED'], ACTIVE: ['LOCKED', 'TERMINATED'], LOCKED: ['TERMINATED'], TERMINATED: [] },
  { LOCKED: ['ACTIVE'] },
);

/** Reads a vault type in any case, with a hyphen, underscore or blank in between; undefined when it is none. */
export function parseVaultType(text: string): VaultType | undefined {
  const name = text.toUpperCase().replaceAll(/[-_ ]/g, '_');
  return vaultTypes.find((type) => type === name);
}
