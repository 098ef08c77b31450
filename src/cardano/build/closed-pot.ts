import type { Pot } from '../../termination/rules/pot.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { DraftInput } from './draft.ts';
import { sumHoldings } from './values.ts';

/** What the last transaction of a vault spends of its pot, and how much of that stays there for those who claim late. */
export interface ClosablePot {
  readonly inputs: readonly DraftInput[];
  readonly claimable: Lovelace;
}

interface CountedPot {
  readonly pot: Pot;
  readonly float: Lovelace;
}

/** What lies at its address: the outputs that no open transaction holds, how many there are in all, and the lovelace in them. */
interface FoundPot {
  readonly free: readonly DraftInput[];
  readonly count: number;
  readonly lovelace: bigint;
}

const nothing: ClosablePot = { inputs: [], claimable: lovelace(0n) };

/** Less of the float than that is not worth a transaction. */
const WORTH_RETURNING = 1_000_000n;

/**
 * What the last transaction closes of a pot: all of one that is empty but for what was rounded off; of another one the outputs that no
 * claim holds, less what every holder can still claim. `least` is the min-ADA of an output of the pot. Null while what is counted is not
 * what lies there.
 */
export function closedOf(
  { pot, float }: CountedPot,
  { free, count, lovelace: all }: FoundPot,
  least: bigint,
): ClosablePot | null {
  const uncounted = all - pot.lovelace - float;
  // What claims at the same time have rounded off is less than an output can hold, and nobody has tokens for it.
  const isEmpty = pot.lovelace === 0n || (pot.circulating === 0n && pot.lovelace < least);
  if (isEmpty && uncounted <= 0n) return { inputs: free, claimable: lovelace(0n) };
  if (uncounted !== 0n) return null;
  const held = sumHoldings(free.map(({ utxo }) => utxo)).lovelace;
  // Besides what claims hold, the rest of the pot stays, and the min-ADA of each output.
  const needed = pot.lovelace + BigInt(1 + count - free.length) * least - (all - held);
  const claimable = needed < least ? least : needed;
  return held - claimable < WORTH_RETURNING ? nothing : { inputs: free, claimable: lovelace(claimable) };
}

/**
 * What the last transaction closes of a pot in which more lies than is counted. The operator gets its float; the rest stays. Nothing is closed of a pot in which less lies.
 */
export function closedUncounted({ pot, float }: CountedPot, found: FoundPot, least: bigint): ClosablePot {
  const held = found.lovelace - float;
  return held < pot.lovelace
    ? nothing
    : (closedOf({ pot: { ...pot, lovelace: lovelace(held) }, float }, found, least) ?? nothing);
}
