import type { SettlementInput } from '../../src/domain/settlement/distribution-input.ts';

export const ADA = 1_000_000n;
const WEALTH = 1_000_000n * ADA;
/** What a deposit carries for its way back, and what a transaction costs. */
export const DELIVERY = 3n * ADA;
export const FEE = 170_000n;
export const PEOPLE = 4;

/** `wallet 0`, `deposit 7`, `custody`, `fees` and so on. */
export type Place = string;

export interface Deposit {
  readonly id: string;
  readonly wallet: Place;
  /** Market value of an asset, or lovelace of an investment. */
  readonly amount: bigint;
  readonly kind: 'asset' | 'investment';
}

export interface World {
  readonly terms: Terms;
  readonly lovelace: Map<Place, bigint>;
  readonly tokens: Map<Place, bigint>;
  /** Where each asset is. */
  readonly assets: Map<string, Place>;
  deposits: Deposit[];
  circulating: bigint;
}

export type Terms = Pick<SettlementInput, 'supply' | 'ftPercentage' | 'lpPercentage' | 'reserve'>;

/** A choice of the random life: who acts, on which of the possible things, with which part of what they have. */
export interface Choice {
  readonly who: number;
  readonly what: number;
  readonly part: bigint;
}
export interface Step extends Choice {
  readonly action: number;
}

export type Action = (world: World, choice: Choice) => void;

export const held = (of: ReadonlyMap<Place, bigint>, place: Place) => of.get(place) ?? 0n;
export const sum = (of: ReadonlyMap<Place, bigint>) => [...of.values()].reduce((all, one) => all + one, 0n);
export const pick = <One>(from: readonly One[], { what }: Choice): One | undefined =>
  from[what % Math.max(1, from.length)];
export const partOf = (amount: bigint, { part }: Choice) => (amount * part) / 1_000n;
export const walletOf = ({ who }: Choice): Place => `wallet ${who % PEOPLE}`;

/** Moves an amount; throws when the place has less. */
export function move(of: Map<Place, bigint>, from: Place, to: Place, amount: bigint): void {
  const rest = held(of, from) - amount;
  if (rest < 0n || amount < 0n) throw new Error(`${from} has ${held(of, from)} and pays ${amount} to ${to}`);
  of.set(from, rest);
  of.set(to, held(of, to) + amount);
}

export function newWorld(terms: Terms): World {
  const places = [...Array.from({ length: PEOPLE }, (_, index) => `wallet ${index}`), 'market'];
  const world: World = {
    terms,
    lovelace: new Map(),
    tokens: new Map(),
    assets: new Map(),
    deposits: [],
    circulating: 0n,
  };
  for (const place of places) {
    world.lovelace.set(place, WEALTH);
    for (let number = 0; number < 6; number += 1) world.assets.set(`asset ${number} of ${place}`, place);
  }
  return world;
}

export const assetsAt = ({ assets }: World, place: Place) =>
  [...assets].filter(([, at]) => at === place).map(([id]) => id);
