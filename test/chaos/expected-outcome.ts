import { countContributors, isSettled, type Traits } from './traits.ts';
import { ADA, baseUnitsOf, claimedBy, entitlementsOf, firstPartOf, stakeOf } from './shares.ts';
import { MORE_STAKED, WITHDRAWN_ADA } from './vault-life.ts';

/** How a life ends that nothing disturbs, as `outcomeOf` reads it: the outcome of every life with these traits, whatever disturbs it. */
export function expectedOutcome(traits: Traits) {
  const lines = [
    ...assetLines(traits),
    ...investmentLines(traits),
    ...(isSettled(traits) ? settledLines(traits) : []),
  ].toSorted();
  return { status: 'TERMINATED', because: traits.ending, holds: [], supply: '1000000000000', lines };
}

function assetLines(traits: Traits): string[] {
  const isSold = (nft: number) => nft === 0 && traits.sale !== 'never';
  const reasons = traits.prices.map((_, nft) => {
    if (!isSettled(traits)) return 'refunded';
    return isSold(nft) ? 'sold' : 'handed_over';
  });
  return [...reasons, ...(traits.removesAsset ? ['removed'] : [])].map((reason) => `asset RELEASED ${reason}`);
}

function investmentLines(traits: Traits): string[] {
  const { ending, investments, withdrawsInvestment } = traits;
  const lineOf = (ada: number, end: string) => `investment ${BigInt(ada) * ADA} ${end}`;
  const lines = investments.map((ada, place) => {
    if (isSettled(traits)) return lineOf(ada, 'SETTLED');
    // The last investor is faster than the refund.
    const isReclaimed = ending === 'settlement_deadline' && place === investments.length - 1;
    return lineOf(ada, isReclaimed ? 'REFUNDED reclaimed' : 'REFUNDED refunded');
  });
  return [...lines, ...(withdrawsInvestment ? [lineOf(WITHDRAWN_ADA, 'REFUNDED removed')] : [])];
}

function settledLines(traits: Traits): string[] {
  const { ending, sale, rotates } = traits;
  const proposals = [sale !== 'never', ending === 'liquidated'].filter(Boolean);
  return [
    ...entitlementsOf(traits).map(({ ft, lovelace }) => `entitlement ${ft} ${lovelace}`),
    ...(traits.stakes ? stakeLines(traits) : []),
    ...proposals.map(() => 'proposal EXECUTED'),
    ...traits.claims.flatMap((_, holder) => claimLines(traits, holder)),
    ...(rotates ? ['rotation finished'] : []),
  ];
}

function stakeLines(traits: Traits): string[] {
  const investor = countContributors(traits);
  const lineOf = (tokens: number, reason: string) => `stake ${baseUnitsOf(tokens)} ${reason}`;
  return [
    lineOf(stakeOf(traits, 0), 'unstaked'),
    lineOf(stakeOf(traits, investor), traits.reclaimsStake ? 'reclaimed' : 'unstaked'),
    lineOf(MORE_STAKED, 'unstaked'),
  ];
}

function claimLines(traits: Traits, holder: number): string[] {
  const [whole, part] = [claimedBy(traits, holder), baseUnitsOf(firstPartOf(traits, holder))];
  const amounts = { whole: [whole], 'in parts': [part, whole - part], never: [] };
  return amounts[traits.claims[holder] ?? 'never'].map((amount) => `claim ${amount} PAID`);
}
