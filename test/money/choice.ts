import { people, type Party } from './parties.ts';
import type { World } from './world.ts';

/** A choice of a random life: who acts, on which of the possible things, with which part of what they have. */
export interface Choice {
  readonly who: number;
  readonly what: number;
  /** In thousandths. */
  readonly part: bigint;
}

export interface Step extends Choice {
  readonly action: number;
}

export type Action = (world: World, choice: Choice) => void;

export function pick<One>(from: readonly One[], { what }: Pick<Choice, 'what'>): One | undefined {
  return from[what % Math.max(1, from.length)];
}

export function partOf(amount: bigint, { part }: Choice): bigint {
  return (amount * part) / 1_000n;
}

export function personOf({ who }: Choice): Party {
  const person = people[who % people.length];
  if (!person) throw new Error('nobody lives');
  return person;
}
