import { policyOf } from '../../assets/rules/asset.ts';
import { fieldError } from '../../platform/errors.ts';
import { transitions } from '../../platform/states.ts';
import { type Instant, secondsAfter } from '../../platform/units/time.ts';
import {
  type BaseUnits,
  type BasisPoints,
  basisPoints,
  FULL_SHARE,
  type Lovelace,
  printPercentage,
  parseTokenAmount,
} from '../../platform/units/money.ts';
import type { CustomPrice } from '../../prices/rules.ts';
import type { Cosigners } from '../../transactions/rules.ts';
import type { AcceptedAssetTypes, ValuationType, VaultTypeRules } from '../../types/rules.ts';

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

/** Why the deposits of a vault are refunded; null when they are not, because the vault was settled or continues (design D31). */
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

export const vaultAddressKinds = ['custody', 'settlement', 'liquidity', 'claims', 'deposit', 'stake'] as const;

export type VaultAddressKind = (typeof vaultAddressKinds)[number];

/** An address at which a vault or its depositors hold funds. */
export interface VaultAddress {
  readonly kind: VaultAddressKind;
  readonly address: string;
  /** The wallet whose deposits it holds; null for the vault's own addresses. */
  readonly depositor: string | null;
}

/** The address at which a vault keeps what belongs to its holders, and what guards it. A rotation gives a vault another one. */
export interface VaultCustody {
  readonly vaultKeyHash: string;
  /** Null when it has none. */
  readonly cosigners: RegisteredCosigners | null;
  readonly contractAddress: string;
}

/** What decides which assets are a vault's own tokens. */
export interface TokensOfVault {
  /** Policy of its NFT. */
  readonly policyId: string;
  /** Null until the fractional token is built. */
  readonly ftUnit: string | null;
}

/** Whether a unit is a vault's NFT, its fractional token or the reference token of that. */
export function isVaultToken(unit: string, { policyId, ftUnit }: TokensOfVault): boolean {
  const policy = policyOf(unit);
  return policy === policyId || (ftUnit !== null && policy === policyOf(ftUnit));
}

/** Whole tokens of a vault as base units: more than 0 and at most its supply. Throws INVALID_QUANTITY at `amount`. */
export function parseFtAmount(
  amount: number | string,
  { ftDecimals, ftSupply }: Pick<VaultTerms, 'ftDecimals' | 'ftSupply'>,
): BaseUnits {
  const units = parseTokenAmount(amount, ftDecimals);
  if (units !== undefined && units > 0n && units <= ftSupply) return units;
  const message = `Must be above 0 and at most the token supply, with at most ${ftDecimals} decimals.`;
  throw fieldError('INVALID_QUANTITY', 'amount', message);
}

/** The cosigners that a vault registered when it was created. */
export interface RegisteredCosigners extends Cosigners {
  /** From when on they can spend its custody without the vault's key (design D20). */
  readonly alone: { readonly from: Instant; readonly fromSlot: number };
}

const DAY_SECONDS = 86_400;
/** A vault without a programmed end counts as living so long. */
const OPEN_LIFE_SECONDS = 5 * 365 * DAY_SECONDS;
/** Time to end the vault and to claim; the longest claim period is as long. */
const AFTER_LIFE_SECONDS = 365 * DAY_SECONDS;

/** From when on registered cosigners need no signature of the vault: 365 days after its life, which begins at T at the latest (design D20). */
export function cosignersAloneFrom(settlesBy: Instant, termination: TerminationTerms): Instant {
  const life = termination.type === 'PROGRAMMED' ? termination.duration : OPEN_LIFE_SECONDS;
  return secondsAfter(settlesBy, life + AFTER_LIFE_SECONDS);
}

export const holdReasons = [
  'stale_price',
  'price_unavailable',
  'quarantined',
  'repeated_failures',
  'unjustified_transaction',
] as const;
/** Why a due change of a vault waits. */
export type HoldReason = (typeof holdReasons)[number];

/** A published reason why a due change of a vault waits (design D14). */
export interface Hold {
  readonly reason: HoldReason;
  readonly since: Instant;
}

/** What keeps a vault from being deleted: somebody would lose it, or it is still under way (design D39). */
export type DeletionObstacle =
  | 'deposits'
  | 'stakes'
  | 'proposals'
  | 'transactions'
  | 'unsolicited_outputs'
  | 'quarantine'
  /** An output at the custody, settlement, liquidity or claims address. */
  | 'value_on_ledger';

/** What decides which tokens govern a vault. */
interface GoverningTokens {
  readonly claimsOpen: boolean;
  readonly terms: Pick<VaultTerms, 'ftSupply'>;
}

/**
 * The tokens of which the shares count that holders need to propose, to open a vote, and to cosign: the whole supply or, while they claim,
 * what they have not returned. Otherwise those who are left could sell nothing. `circulating` is null where it is not counted.
 */
export function governingSupply(
  { claimsOpen, terms: { ftSupply } }: GoverningTokens,
  circulating: BaseUnits | null,
): BaseUnits {
  // Of nothing, everybody would have every share.
  return claimsOpen && circulating ? circulating : ftSupply;
}

/** How much `current` differs from `initial`, as signed percentage text with two decimals, cut towards 0 (design D39c). */
export function changeText(initial: Lovelace, current: Lovelace): string {
  if (initial === 0n) return '0.00%';
  const difference = current - initial;
  const size = ((difference < 0n ? -difference : difference) * FULL_SHARE) / initial;
  const sign = size === 0n ? '' : difference < 0n ? '-' : '+';
  return `${sign}${printPercentage(basisPoints(size))}%`;
}

/** A closed vote: the base units that voted, and those that could have. */
export interface Turnout {
  readonly voted: bigint;
  readonly eligible: bigint;
}

/** The mean share of the eligible power that voted, each closed vote counting the same; 0 without one (design D39c). */
export function averageQuorum(turnouts: readonly Turnout[]): BasisPoints {
  const shares = turnouts.map(({ voted, eligible }) => (eligible === 0n ? 0n : (voted * FULL_SHARE) / eligible));
  return basisPoints(shares.length === 0 ? 0n : shares.reduce((sum, share) => sum + share, 0n) / BigInt(shares.length));
}
