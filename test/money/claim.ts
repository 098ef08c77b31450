import { expect } from '@jest/globals';
import { buildClaim } from '../../src/cardano/build/termination.ts';
import { type BuiltTransaction, outputUtxo, type Utxo } from '../../src/cardano/transaction.ts';
import { requirePayout } from '../../src/termination/rules/claims.ts';
import { ServiceError } from '../../src/platform/errors.ts';
import { payoutOf } from '../../src/termination/rules/pot.ts';
import { refText } from '../../src/transactions/rules.ts';
import { baseUnits, type BaseUnits, type Lovelace, lovelace } from '../../src/platform/units/money.ts';
import { chainedOutputs } from '../../src/termination/claim.ts';
import { context } from '../chain/sample-context.ts';
import { type Action, partOf, personOf } from './choice.ts';
import { sellTo, tokensOf } from './govern.ts';
import { land } from './land.ts';
import { type Party, payerOf, people } from './parties.ts';
import { guardOf, own, ttlOf, unitOfFt, type World } from './world.ts';

interface BuiltClaim {
  readonly holder: Party;
  readonly amount: BaseUnits;
  readonly payout: Lovelace;
  readonly built: BuiltTransaction;
}

/** One holder claims for a part of their tokens. */
export const claim: Action = (world, choice) => {
  const holder = personOf(choice);
  landClaims(world, claimsOf(world, [[holder, partOf(tokensOf(world, holder), choice)]]));
};

/** Several holders claim from the same pot at the same time, some out of what others leave before a block has it. */
export const claimInOneBlock: Action = (world, choice) => {
  const amounts = people.map((holder) => [holder, partOf(tokensOf(world, holder), choice)] as const);
  landClaims(world, claimsOf(world, amounts));
};

/** The block with claims is rolled back; half of them are confirmed once more. */
export const claimAndRollBack: Action = (world, choice) => {
  const { pot } = world;
  const claims = claimsOf(
    world,
    people.map((holder) => [holder, partOf(tokensOf(world, holder), choice)] as const),
  );
  if (claims.length === 0) return;
  landClaims(world, claims);
  world.ledger.rollBack();
  world.pot = pot;
  expectPot(world);
  // Those that spend what others left cannot be confirmed without them.
  landClaims(world, claims.slice(0, Math.ceil(claims.length / 2)));
};

/** While holders claim, the price of a sale goes into the pot. */
export const sellIntoPot: Action = (world, choice) => {
  // Without a holder nobody decides a sale.
  if (world.pot.circulating === 0n) return;
  const proceeds = sellTo(world, choice, guardOf(world, 'claims').address)?.outputs[0];
  if (proceeds) changePot(world, { lovelace: proceeds.lovelace });
  expectPot(world);
};

/** Everybody claims for all that they have. */
export function claimAll(world: World): void {
  for (const holder of people) landClaims(world, claimsOf(world, [[holder, tokensOf(world, holder)]]));
}

/** Claims that are computed from the same pot. Whoever would get less than a lovelace gets none. */
function claimsOf(world: World, amounts: readonly (readonly [Party, bigint])[]): BuiltClaim[] {
  const { pot } = world;
  const { address, script, keyHash: vaultKeyHash } = guardOf(world, 'claims');
  const claims: BuiltClaim[] = [];
  for (const [holder, tokens] of amounts) {
    const amount = baseUnits(tokens);
    const payout = payoutOf(pot, amount);
    if (payout === 0n) {
      expect(() => requirePayout(pot, amount)).toThrow(ServiceError);
      continue;
    }
    expect(requirePayout(pot, amount)).toBe(payout);
    const free = outputsFor(own(world, address), claims);
    const built = orInUse(() =>
      buildClaim(context, {
        holder: payerOf(world.ledger, holder),
        pot: { script, address, vaultKeyHash, free },
        ftUnit: unitOfFt,
        amount,
        payout,
        ttlSlot: ttlOf(world),
      }),
    );
    // Alone, a claim always finds enough.
    if (built) claims.push({ holder, amount, payout, built });
    else expect(claims).not.toEqual([]);
  }
  return claims;
}

/** What the pot has for one more claim: outputs that no other one spends, then what others leave. */
function outputsFor(onLedger: readonly Utxo[], claims: readonly BuiltClaim[]): Utxo[] {
  const spent = new Set(claims.flatMap(({ built }) => built.inputs.map(refText)));
  const isFree = (utxo: Utxo) => !spent.has(refText(utxo));
  const sent = claims.map(({ built }) => {
    const change = outputUtxo(built, 0);
    return { hash: built.hash, spends: spendsOf(built, change.address), change: isFree(change) ? change : null };
  });
  return [...onLedger.filter(isFree), ...chainedOutputs(sent, onLedger)];
}

function spendsOf({ inputs }: BuiltTransaction, address: string): string[] {
  return inputs.filter((input) => input.address === address).map(refText);
}

function orInUse<Result>(build: () => Result): Result | null {
  try {
    return build();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'POT_IN_USE') return null;
    throw error;
  }
}

function landClaims(world: World, claims: readonly BuiltClaim[]): void {
  if (claims.length === 0) return;
  const { pot } = world;
  const confirmations = claims.map(({ holder, amount, payout, built }) => {
    return {
      kind: 'claim',
      built,
      changes: { [holder.name]: { lovelace: payout - built.fee, tokens: 0n - amount } },
    } as const;
  });
  land(world, ...confirmations);
  for (const { amount, payout } of claims) changePot(world, { lovelace: 0n - payout, circulating: 0n - amount });
  // Nobody's share gets smaller.
  expect(world.pot.lovelace * pot.circulating >= pot.lovelace * world.pot.circulating).toBe(true);
  expectPot(world);
}

/** As `changePot` of the store does. */
export function changePot(world: World, change: { readonly lovelace?: bigint; readonly circulating?: bigint }): void {
  const { lovelace: coin, circulating } = world.pot;
  world.pot = {
    lovelace: lovelace(coin + (change.lovelace ?? 0n)),
    circulating: baseUnits(circulating + (change.circulating ?? 0n)),
  };
}

/** What is counted of a pot is what lies there: the pot, what the operator has lent, and the tokens that came back. */
export function expectPot(world: World): void {
  const { pot, float, terms } = world;
  const held = own(world, guardOf(world, 'claims').address);
  const tokens = held.reduce((sum, { assets }) => sum + (assets.get(unitOfFt) ?? 0n), 0n);
  expect({ lovelace: sumOf(held), circulating: terms.supply - tokens }).toEqual({
    lovelace: pot.lovelace + float,
    circulating: pot.circulating,
  });
}

function sumOf(utxos: readonly Utxo[]): bigint {
  return utxos.reduce((sum, utxo) => sum + utxo.lovelace, 0n);
}
