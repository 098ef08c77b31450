import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { baseUnits, basisPoints } from '../../src/platform/units/money.ts';
import { payoutOf } from '../../src/termination/rules/pot.ts';
import { type Action, type Choice, type Step } from './choice.ts';
import { claim, claimAll, claimAndRollBack, claimInOneBlock, sellIntoPot } from './claim.ts';
import { contribute, invest, takeBack } from './deposits.ts';
import { beginEnd, close, expectLeft, giveRest, leastOf } from './end.ts';
import { bringBack, buy, rotate, sell, stake, stakeElsewhere, tokensOf, unstake } from './govern.ts';
import { people } from './parties.ts';
import { settle } from './settle.ts';
import { newWorld, type Terms, type World } from './world.ts';

// Whole lives of vaults, without any process: the rules say who gets what, the builders make the transactions, and a ledger in this
// process takes them. What people, vault and fees have is read from that ledger after each block.

/** So many lives; each takes about a second of CPU time. */
const { LIVES = '8' } = process.env;

const beforeSettlement = [contribute, contribute, invest, invest, takeBack];
const whileGoverned = [sell, buy, stake, unstake, stakeElsewhere, bringBack, rotate];
const whileClaimed = [claim, claimInOneBlock, claimAndRollBack, sellIntoPot, bringBack, stake, unstake];

interface Life {
  readonly young: readonly Step[];
  readonly reclaims: readonly Choice[];
  readonly governed: readonly Step[];
  /** Assets that the decision to end hands to people: which one, and to whom. */
  readonly handed: readonly Choice[];
  readonly ending: readonly Step[];
  /** Whether somebody is named for what nobody claims and nobody buys. */
  readonly hasHeir: boolean;
  /** Whether holders claim before the vault closes. */
  readonly isPrompt: boolean;
}

async function live(terms: Terms, life: Life): Promise<void> {
  const world = await newWorld(terms);
  go(world, beforeSettlement, life.young);
  if (!settle(world, life.reclaims)) return;
  go(world, whileGoverned, life.governed);
  beginEnd(
    world,
    life.handed.map(({ who, what }) => ({ asset: what, to: people[who % people.length]! })),
  );
  go(world, whileClaimed, life.ending);
  while (world.stakes.length > 0) unstake(world, { who: 0, what: 0, part: 1_000n });
  if (life.isPrompt) claimAll(world);
  if (life.hasHeir) giveRest(world);
  close(world);
  expectLeft(world);
  if (!life.hasHeir) expectAllClaimed(world);
}

function go(world: World, actions: readonly Action[], steps: readonly Step[]): void {
  for (const step of steps) actions[step.action % actions.length]?.(world, step);
}

/** Who comes after the end still gets their share, and who comes last gets the last lovelace. */
function expectAllClaimed(world: World): void {
  const claimable = world.pot.circulating > 0n;
  claimAll(world);
  const late = people.map((person) => baseUnits(tokensOf(world, person)));
  // Whoever is left has less than a lovelace.
  expect(late.map((amount) => payoutOf(world.pot, amount))).toEqual(people.map(() => 0n));
  if (claimable && late.every((amount) => amount === 0n)) expect(world.pot.lovelace).toBeLessThan(leastOf(world));
}

const choice = { who: fc.nat(9), what: fc.nat(9), part: fc.bigInt({ min: 0n, max: 1_000n }) };
const choices = (maxLength: number) => fc.array(fc.record(choice), { maxLength });
const steps = (minLength: number, maxLength: number) =>
  fc.array(fc.record({ action: fc.nat(19), ...choice }), { minLength, maxLength });
const lives = fc.record({
  young: steps(6, 15),
  reclaims: choices(3),
  governed: steps(0, 10),
  handed: choices(2),
  ending: steps(0, 8),
  hasHeir: fc.boolean(),
  isPrompt: fc.boolean(),
});
const percentage = (min: bigint, max: bigint) => fc.bigInt({ min, max }).map(basisPoints);
const termsOfVaults = fc
  .record({
    supply: fc.oneof(fc.bigInt({ min: 1n, max: 1_000n }), fc.bigInt({ min: 1n, max: 9n * 10n ** 18n })).map(baseUnits),
    ftPercentage: percentage(100n, 10_000n),
    lpPercentage: percentage(0n, 2_000n),
    reserve: percentage(500n, 5_000n),
    hasCosigners: fc.boolean(),
  })
  .filter(({ ftPercentage, lpPercentage }) => lpPercentage <= 2n * ftPercentage);

test('whatever a vault lives through, what people, vault and fees hold is what came in, and each has what the rules say', async () => {
  const lived = fc.asyncProperty(termsOfVaults, lives, async (terms, life) => {
    await expect(live(terms, life)).resolves.toBeUndefined();
  });
  await fc.assert(lived, { numRuns: Number(LIVES) });
});
