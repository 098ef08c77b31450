import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type Action,
  ADA,
  assetsAt,
  type Choice,
  DELIVERY,
  type Deposit,
  FEE,
  held,
  move,
  newWorld,
  partOf,
  PEOPLE,
  pick,
  type Place,
  type Step,
  sum,
  type Terms,
  walletOf,
  type World,
} from '../../../test/money/world.ts';
import { requirePayout } from '../claim/claim.ts';
import { ServiceError } from '../errors.ts';
import { distributeToCounted } from '../settlement/counted-deposits.ts';
import { reviseSettlement } from '../settlement/revision.ts';
import { instant } from '../units/instant.ts';
import { baseUnits, basisPoints, FULL_SHARE, lovelace } from '../units/money.ts';
import { payoutOf } from './pot.ts';

// Whole lives of vaults in the domain alone: a test books what the rules of the domain say; nothing may come from nowhere.

const contribute: Action = (world, choice) => {
  const wallet = walletOf(choice);
  const id = pick(assetsAt(world, wallet), choice);
  if (id === undefined) return;
  world.assets.set(id, `deposit ${id}`);
  move(world.lovelace, wallet, `deposit ${id}`, DELIVERY);
  move(world.lovelace, wallet, 'fees', FEE);
  world.deposits.push({ id, wallet, amount: partOf(1_000n * ADA, choice), kind: 'asset' });
};

const invest: Action = (world, choice) => {
  const wallet = walletOf(choice);
  // Every deposit has an address of its own, so that their number only grows.
  const id = `investment ${world.lovelace.size}`;
  const amount = 5n * ADA + partOf(1_000n * ADA, choice);
  move(world.lovelace, wallet, `deposit ${id}`, amount + DELIVERY);
  move(world.lovelace, wallet, 'fees', FEE);
  world.deposits.push({ id, wallet, amount, kind: 'investment' });
};

/** The platform returns a deposit, less the fee. */
function returnDeposit(world: World, { id, wallet }: Pick<Deposit, 'id' | 'wallet'>): void {
  move(world.lovelace, `deposit ${id}`, 'fees', FEE);
  move(world.lovelace, `deposit ${id}`, wallet, held(world.lovelace, `deposit ${id}`));
  if (world.assets.has(id)) world.assets.set(id, wallet);
  world.deposits = world.deposits.filter((deposit) => deposit.id !== id);
}

const takeBack: Action = (world, choice) => {
  const deposit = pick(world.deposits, choice);
  if (deposit) returnDeposit(world, deposit);
};

/** Settles; the owners of `reclaimed` took their deposits back between plan and delivery. Returns whether the vault settled. */
function settle(world: World, reclaims: readonly Choice[]): boolean {
  const { terms, deposits } = world;
  const ofKind = (kind: Deposit['kind']) => deposits.filter((deposit) => deposit.kind === kind);
  const at = (id: string) => instant(deposits.findIndex((deposit) => deposit.id === id));
  const plan = distributeToCounted({
    ...terms,
    maxShare: FULL_SHARE,
    contributors: ofKind('asset').map(({ id, wallet, amount }) => {
      return { id, wallet, policyId: id, value: lovelace(amount), at: at(id) };
    }),
    investors: ofKind('investment').map(({ id, wallet, amount }) => {
      return { id, wallet, lovelace: lovelace(amount), at: at(id) };
    }),
  });
  if (plan.kind === 'fails') {
    for (const deposit of deposits) returnDeposit(world, deposit);
    return false;
  }
  for (const deposit of plan.returned) returnDeposit(world, deposit);
  world.tokens.set('settlement', terms.supply);

  const reclaimed = new Set(reclaims.flatMap((choice) => pick(world.deposits, choice)?.id ?? []));
  for (const { id, wallet } of world.deposits.filter((deposit) => reclaimed.has(deposit.id)))
    returnDeposit(world, { id, wallet });
  const came = plan.investors.filter(({ id }) => !reclaimed.has(id));
  const invested = came.reduce((sum, share) => sum + (deposits.find(({ id }) => id === share.id)?.amount ?? 0n), 0n);
  const revision = reviseSettlement(plan.contributors, { ...terms, contributors: plan.counted }, lovelace(invested));
  deliver(world, { plan, revision, reclaimed });
  return true;
}

interface Delivery {
  readonly plan: Extract<ReturnType<typeof distributeToCounted>, { kind: 'settles' }>;
  readonly revision: ReturnType<typeof reviseSettlement>;
  readonly reclaimed: ReadonlySet<string>;
}

function deliver(world: World, { plan, revision, reclaimed }: Delivery): void {
  // What is due to who took a deposit back is kept in custody.
  const recipient = (id: string, wallet: Place) => (reclaimed.has(id) ? 'custody' : wallet);
  for (const { id, amount } of world.deposits.filter(({ kind }) => kind === 'investment'))
    move(world.lovelace, `deposit ${id}`, 'settlement', amount);
  for (const { id, wallet, ft } of [...plan.investors, ...plan.contributors])
    move(world.tokens, 'settlement', recipient(id, wallet), ft);
  for (const { id, lovelace: owed } of revision.contributors) {
    const wallet = plan.contributors.find((share) => share.id === id)?.wallet ?? 'nobody';
    move(world.lovelace, 'settlement', recipient(id, wallet), owed);
  }
  move(world.lovelace, 'settlement', 'liquidity', revision.lpLovelace);
  move(world.tokens, 'settlement', 'liquidity', plan.lpFt);
  expect([held(world.lovelace, 'settlement'), held(world.tokens, 'settlement')]).toEqual([0n, 0n]);
  for (const deposit of world.deposits) {
    returnDeposit(world, deposit);
    if (deposit.kind === 'asset') world.assets.set(deposit.id, 'custody');
  }
}

/** Sells an asset; while holders claim, the price goes into the pot. */
const sellTo =
  (place: Place): Action =>
  (world, choice) => {
    const id = pick(assetsAt(world, 'custody'), choice);
    // Without a holder nobody decides a sale.
    if (id === undefined || (place === 'pot' && world.circulating === 0n)) return;
    world.assets.set(id, 'market');
    move(world.lovelace, 'market', place, partOf(2_000n * ADA, choice));
    move(world.lovelace, 'market', 'fees', FEE);
  };

const buy: Action = (world, choice) => {
  const price = partOf(held(world.lovelace, 'custody'), choice);
  const id = pick(assetsAt(world, 'market'), choice);
  if (id === undefined || price < FEE) return;
  move(world.lovelace, 'custody', 'market', price - FEE);
  move(world.lovelace, 'custody', 'fees', FEE);
  world.assets.set(id, 'custody');
};

const stake: Action = (world, choice) => {
  const wallet = walletOf(choice);
  move(world.tokens, wallet, `stake of ${wallet}`, partOf(held(world.tokens, wallet), choice));
  move(world.lovelace, wallet, 'fees', FEE);
};

const unstake: Action = (world, choice) => {
  const wallet = walletOf(choice);
  move(world.tokens, `stake of ${wallet}`, wallet, held(world.tokens, `stake of ${wallet}`));
  move(world.lovelace, wallet, 'fees', FEE);
};

/** Gathers the pot, as the service does at the end of a vault: what is vault-owned does not circulate (design D13d). */
function liquidate(world: World): void {
  move(world.lovelace, 'market', 'fees', FEE);
  for (const place of ['custody', 'liquidity']) {
    move(world.lovelace, place, 'pot', held(world.lovelace, place));
    move(world.tokens, place, 'pot', held(world.tokens, place));
  }
  world.circulating = world.terms.supply - held(world.tokens, 'pot');
}

const claim: Action = (world, choice) => {
  const wallet = walletOf(choice);
  const amount = baseUnits(partOf(held(world.tokens, wallet), choice));
  const pot = potOf(world);
  const payout = payoutOf(pot, amount);
  if (payout === 0n) {
    expect(() => requirePayout(pot, amount)).toThrow(ServiceError);
    return;
  }
  expect(requirePayout(pot, amount)).toBe(payout);
  move(world.tokens, wallet, 'pot', amount);
  move(world.lovelace, 'pot', wallet, payout);
  move(world.lovelace, wallet, 'fees', FEE);
  world.circulating -= amount;
  expect(potOf(world).lovelace * pot.circulating >= pot.lovelace * potOf(world).circulating).toBe(true);
};

const potOf = (world: World) => {
  return { lovelace: lovelace(held(world.lovelace, 'pot')), circulating: baseUnits(world.circulating) };
};

const beforeSettlement = [contribute, contribute, invest, invest, takeBack];
const whileGoverned = [sellTo('custody'), buy, stake, unstake];
const whileClaimed = [claim, claim, sellTo('pot'), stake, unstake];

function live(terms: Terms, { young, reclaims, governed, ending }: Life): 'in balance' {
  const world = newWorld(terms);
  const lovelaces = sum(world.lovelace);
  const assets = world.assets.size;
  const check = () => {
    expect(sum(world.lovelace)).toBe(lovelaces);
    expect(world.assets.size).toBe(assets);
    expect([0n, terms.supply]).toContain(sum(world.tokens));
  };
  const go = (actions: readonly Action[], steps: readonly Step[]) => {
    for (const step of steps) {
      actions[step.action % actions.length]?.(world, step);
      check();
    }
  };
  go(beforeSettlement, young);
  const hasSettled = settle(world, reclaims);
  check();
  const waiting = [...world.lovelace].filter(([place, amount]) => place.startsWith('deposit') && amount > 0n);
  expect(waiting).toEqual([]);
  if (!hasSettled) return 'in balance';
  go(whileGoverned, governed);
  liquidate(world);
  check();
  const circulating = [...world.tokens]
    .filter(([place]) => place !== 'pot')
    .reduce((all, [, amount]) => all + amount, 0n);
  expect(world.circulating).toBe(circulating);
  go(whileClaimed, ending);
  for (const claims of [unstake, claim])
    for (let who = 0; who < PEOPLE; who += 1) claims(world, { who, what: 0, part: 1_000n });
  check();
  const pot = potOf(world);
  const unclaimed = [...world.tokens].filter(([place, amount]) => place.startsWith('wallet') && amount > 0n);
  // When the owners took all deposits back that tokens were for, nobody ever had any.
  if (unclaimed.length === 0 && circulating > 0n) expect(pot).toEqual({ lovelace: 0n, circulating: 0n });
  // Who is left has less than a lovelace.
  for (const [, amount] of unclaimed) expect(payoutOf(pot, baseUnits(amount))).toBe(0n);
  return 'in balance';
}

interface Life {
  readonly young: readonly Step[];
  readonly reclaims: readonly Choice[];
  readonly governed: readonly Step[];
  readonly ending: readonly Step[];
}

const choice = { who: fc.nat(9), what: fc.nat(9), part: fc.bigInt({ min: 0n, max: 1_000n }) };
const steps = (minLength: number, maxLength: number) =>
  fc.array(fc.record({ action: fc.nat(19), ...choice }), { minLength, maxLength });
const lives = fc.record({
  young: steps(6, 25),
  reclaims: fc.array(fc.record(choice), { maxLength: 3 }),
  governed: steps(0, 12),
  ending: steps(0, 15),
});
const percentage = (min: bigint, max: bigint) => fc.bigInt({ min, max }).map(basisPoints);
const termsOfVaults = fc
  .record({
    supply: fc.oneof(fc.bigInt({ min: 1n, max: 1_000n }), fc.bigInt({ min: 1n, max: 9n * 10n ** 18n })).map(baseUnits),
    ftPercentage: percentage(100n, 10_000n),
    lpPercentage: percentage(0n, 2_000n),
    reserve: percentage(500n, 5_000n),
  })
  .filter(({ ftPercentage, lpPercentage }) => lpPercentage <= 2n * ftPercentage);

test('whatever a vault lives through, what people, vault and fees hold is what came in', () => {
  fc.assert(
    fc.property(termsOfVaults, lives, (terms, life) => {
      expect(live(terms, life)).toBe('in balance');
    }),
    { numRuns: 200 },
  );
});
