import { distributeToCounted } from '../../src/settlement/rules/deposits.ts';
import { instant } from '../../src/platform/units/time.ts';
import { baseUnits, basisPoints, FULL_SHARE, type Lovelace, lovelace } from '../../src/platform/units/money.ts';
import { countContributors, type Traits } from './traits.ts';

export const ADA = 1_000_000n;
/** Base units of a token. */
const TOKEN = 1_000_000n;
/** Of what the stakers have, so that each of them may cosign, and something is left. */
const [STAKED, ALL] = [6n, 10n];

/** What a vault of these lives is created with, beside the defaults. */
const terms = {
  supply: baseUnits(1_000_000n * TOKEN),
  ftPercentage: basisPoints(5_000n),
  lpPercentage: basisPoints(1_000n),
  reserve: basisPoints(2_000n),
  maxShare: FULL_SHARE,
};
/** `floor_price_percentage`. */
const COUNTED_PERCENT = 90n;

/** What a deposit brings when its vault is settled. */
export interface Entitlement {
  /** Position among the contributors, and the investors after them. */
  readonly holder: number;
  readonly ft: bigint;
  readonly lovelace: Lovelace;
}

/** The number of the contributor of an NFT. */
export const contributorOf = (nft: number) => Math.max(0, nft - 1);

/** What each deposit brings, by the rules of the domain: NFTs first. */
export function entitlementsOf(traits: Pick<Traits, 'prices' | 'investments'>): readonly Entitlement[] {
  const { prices, investments } = traits;
  const contributors = prices.map((price, nft) => {
    const value = lovelace((BigInt(price) * ADA * COUNTED_PERCENT) / 100n);
    // The second one is deposited last.
    const at = instant(nft === 1 ? prices.length : nft);
    return { id: `nft ${nft}`, wallet: `${contributorOf(nft)}`, policyId: `${nft}`, value, at };
  });
  const investors = investments.map((ada, place) => {
    return { id: `investment ${place}`, wallet: `${place}`, lovelace: lovelace(BigInt(ada) * ADA), at: instant(place) };
  });
  const plan = distributeToCounted({ ...terms, contributors, investors });
  if (plan.kind === 'fails') throw new Error(`the vault fails: ${plan.reason}`);
  const firstInvestor = countContributors(traits);
  return [
    ...plan.contributors.map(({ wallet, ft, lovelace }) => ({ holder: Number(wallet), ft, lovelace })),
    ...plan.investors.map(({ wallet, ft }) => ({ holder: firstInvestor + Number(wallet), ft, lovelace: lovelace(0n) })),
  ];
}

/** The tokens that a holder gets. */
function tokensOf(traits: Traits, holder: number): bigint {
  const own = entitlementsOf(traits).filter((entitlement) => entitlement.holder === holder);
  return own.reduce((sum, { ft }) => sum + ft, 0n);
}

/** Whole tokens that a holder stakes. */
export function stakeOf(traits: Traits, holder: number): number {
  return Number((tokensOf(traits, holder) * STAKED) / ALL / TOKEN);
}

/** Whole tokens that a holder claims first who claims in parts. */
export function firstPartOf(traits: Traits, holder: number): number {
  return Number(claimedBy(traits, holder) / 2n / TOKEN);
}

/** The tokens for which a holder claims in all: those of a stake that is taken back later are not there. */
export function claimedBy(traits: Traits, holder: number): bigint {
  const isAway = traits.reclaimsStake && holder === countContributors(traits);
  return tokensOf(traits, holder) - (isAway ? baseUnitsOf(stakeOf(traits, holder)) : 0n);
}

export const baseUnitsOf = (tokens: number) => BigInt(tokens) * TOKEN;
