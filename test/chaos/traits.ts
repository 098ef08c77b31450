import type { TerminationReason } from '../../src/vaults/rules/vault.ts';

/** How a vault ends: three ways of one that was settled, four of one that was not. */
export const endings = [
  'liquidated',
  'programmed_end',
  'floor_price_deviation',
  'cancelled',
  'reserve_not_reached',
  'no_assets',
  'settlement_deadline',
] as const satisfies readonly TerminationReason[];
type Ending = (typeof endings)[number];

/** When the first NFT is sold: while the vault lives, while its holders claim, or never. */
export const sales = ['before the end', 'while claims run', 'never'] as const;
/** How a holder claims: all at once, a half and then the rest, or never. */
export const claimWays = ['whole', 'in parts', 'never'] as const;

/** What differs between the lives of vaults. */
export interface Traits {
  readonly ending: Ending;
  /** ADA that the market pays for the NFTs that stay: the first two are of the first contributor, each other one is of one more. */
  readonly prices: readonly number[];
  /** ADA of each investor. */
  readonly investments: readonly number[];
  /** Another NFT is removed, and another investment withdrawn, before the windows end. */
  readonly removesAsset: boolean;
  readonly withdrawsInvestment: boolean;
  /** A stranger sends ADA into custody, and gets it back. */
  readonly getsGift: boolean;
  /** The first contributor and the first investor stake, and vote. */
  readonly stakes: boolean;
  /** The first investor takes the stake back alone, a year after the vault has ended. */
  readonly reclaimsStake: boolean;
  readonly rotates: boolean;
  readonly sale: (typeof sales)[number];
  /** How many of two registered cosigners have to sign what leaves custody; 0 where none are registered. */
  readonly requiredCosigners: 0 | 1 | 2;
  /** Of each contributor, then of each investor. */
  readonly claims: readonly (typeof claimWays)[number][];
}

/** A life with every kind of transaction that has no rotation, no registered cosigners and nothing that is taken back alone. */
const usualTraits: Traits = {
  ending: 'liquidated',
  prices: [500, 500],
  investments: [300],
  removesAsset: true,
  withdrawsInvestment: true,
  getsGift: true,
  stakes: true,
  reclaimsStake: false,
  rotates: false,
  sale: 'before the end',
  requiredCosigners: 0,
  claims: ['whole', 'never'],
};

/** What a vault never has that is not settled. */
const unsettled = {
  getsGift: false,
  stakes: false,
  reclaimsStake: false,
  rotates: false,
  sale: 'never',
  requiredCosigners: 0,
  claims: [],
} as const;

/** A vault that fails because nobody contributes to it. */
const failingTraits: Traits = {
  ending: 'no_assets',
  prices: [],
  investments: [20],
  removesAsset: false,
  withdrawsInvestment: false,
  ...unsettled,
};

/** The lives of chaos in `npm test`. */
export const usualLives = [usualTraits, failingTraits];

/** Whether a vault is settled before it ends. */
export function isSettled({ ending }: Pick<Traits, 'ending'>): boolean {
  return ending === 'liquidated' || ending === 'programmed_end' || ending === 'floor_price_deviation';
}

/** The first two NFTs are of one contributor; a vault without any has one, too: its admin. */
export function countContributors({ prices }: Pick<Traits, 'prices'>): number {
  return Math.max(1, prices.length - 1);
}

const MOST_OTHERS = 2;

/** The traits of a random life; the same numbers make the same traits. */
export function drawTraits(random: () => number): Traits {
  const dice = diceOf(random);
  // Six vaults of ten are settled.
  const ending = dice.pick([...endings, 'liquidated', 'programmed_end', 'floor_price_deviation'] as const);
  const prices = ending === 'no_assets' ? [] : [dice.fives(300, 700), dice.fives(300, 700), ...dice.others(100, 300)];
  // With these amounts the reserve is reached by the first investor alone, or by nobody.
  const first =
    ending === 'reserve_not_reached' ? [dice.fives(20, 60)] : [dice.fives(400, 600), ...dice.others(50, 150)];
  const deposits = {
    ...{ ending, prices, investments: first },
    removesAsset: prices.length > 0 && dice.chance(0.5),
    withdrawsInvestment: dice.chance(0.5),
  };
  return isSettled(deposits) ? { ...deposits, ...drawSettledLife(dice, deposits) } : { ...deposits, ...unsettled };
}

type Deposits = Pick<Traits, 'ending' | 'prices' | 'investments'>;

function drawSettledLife(dice: Dice, { ending, prices, investments }: Deposits): Omit<Traits, keyof Deposits | Window> {
  const stakes = ending === 'liquidated' || dice.chance(0.6);
  return {
    getsGift: dice.chance(0.3),
    stakes,
    reclaimsStake: stakes && dice.chance(0.2),
    rotates: dice.chance(0.3),
    sale: stakes ? dice.pick(sales) : 'never',
    claims: Array.from({ length: countContributors({ prices }) + investments.length }, () => dice.pick(claimWays)),
    // Drawn last: the other traits of a seed are those of before there were cosigners.
    requiredCosigners: dice.chance(0.4) ? dice.pick([1, 2] as const) : 0,
  };
}

type Window = 'removesAsset' | 'withdrawsInvestment';
type Dice = ReturnType<typeof diceOf>;

function diceOf(random: () => number) {
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const fives = (least: number, most: number) => 5 * between(least / 5, most / 5);
  return {
    chance: (probability: number) => random() < probability,
    pick: <Item>(items: readonly Item[]): Item => items[between(0, items.length - 1)]!,
    /** A multiple of five. */
    fives,
    /** Those of further persons. */
    others: (least: number, most: number) => Array.from({ length: between(0, MOST_OTHERS) }, () => fives(least, most)),
  };
}
