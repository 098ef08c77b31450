import { type BaseUnits, type BasisPoints } from '../../platform/units/money.ts';
import type { AcceptedAssetTypes } from '../../types/rules/asset-type.ts';
import type { CustomPrice } from '../../prices/rules/custom-price.ts';
import { transitions } from '../../platform/states/transitions.ts';
import type { ValuationType, VaultTypeRules } from '../../types/rules/vault-type.ts';

export const vaultStatuses = ['DRAFT', 'ACTIVE', 'LOCKED', 'TERMINATED'] as const;
export type VaultStatus = (typeof vaultStatuses)[number];

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

/** Why the deposits of a vault are refunded; null when they are not, because the vault was settled or goes on (design D31). */
export function refundReasonOf(endsBecause: TerminationReason | null): TerminationReason | null {
  return endsBecause === null || endSettled.includes(endsBecause) ? null : endsBecause;
}

/** Shares of the voting power or of the supply that proposals must reach (design D22). */
export interface GovernanceThresholds {
  readonly creation: BasisPoints;
  readonly start: BasisPoints;
  readonly vote: BasisPoints;
  readonly execution: BasisPoints;
  readonly cosigning: BasisPoints;
}

/** What a decision to end the vault need not name (design D31); absent where the creator named nothing. */
export interface EndTerms {
  /** Wallets for the assets that are left, and for what nobody claims. */
  readonly remainingAssetsTo?: string;
  readonly unclaimedLovelaceTo?: string;
  /** How long holders can claim, in seconds. */
  readonly claimSeconds?: number;
}

/** How a vault ends. `fdp` is the floor price deviation, 0 for none; `duration` is in seconds after the lock. */
export type TerminationTerms = EndTerms & TerminationCause;

type TerminationCause =
  | { readonly type: 'DAO'; readonly fdp: BasisPoints }
  | { readonly type: 'PROGRAMMED'; readonly fdp: BasisPoints; readonly duration: number };

/** What the creator of a vault decides. An empty asset whitelist accepts any policy. */
export interface VaultTerms {
  /** Name of a vault type, built in or registered. */
  readonly type: string;
  /** What that type decided when the vault was created. */
  readonly typeRules: VaultTypeRules;
  readonly assetTypes: AcceptedAssetTypes;
  readonly assetWhitelist: readonly string[];
  readonly contributorWhitelist: readonly string[];
  readonly investorWhitelist: readonly string[];
  /** Whether `investorWhitelist` applies. */
  readonly investorListEnabled: boolean;
  readonly valuationType: ValuationType;
  readonly floorPricePercentage: BasisPoints;
  /** Prices that the admin has set; they are fixed from the opening of the asset window on. */
  readonly customPrices: readonly CustomPrice[];
  readonly maxAssets: number;
  /** The largest share that the assets of one policy may have of what all assets count with. */
  readonly maxShare: BasisPoints;
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
  { LOCKED: ['ACTIVE'], TERMINATED: ['LOCKED'] },
);
