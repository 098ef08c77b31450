import { lovelace } from '../../platform/units/money.ts';
import type { ProtocolParameters } from '../ledger/parameters.ts';
import type { Unit } from '../transaction.ts';
import { minAda, valueSize, type DraftOutput } from './draft.ts';
import { requireNonNegative, sumHoldings, type Value } from './values.ts';

/** An output with its min-ADA and no lovelace more. */
export function smallestOutput(parameters: ProtocolParameters, output: Omit<DraftOutput, 'lovelace'>): DraftOutput {
  return atLeastMinAda(parameters, { ...output, lovelace: lovelace(0n) });
}

export function atLeastMinAda(parameters: ProtocolParameters, output: DraftOutput): DraftOutput {
  const least = minAda(parameters, output);
  return least > output.lovelace ? { ...output, lovelace: least } : output;
}

/** The fewest outputs that can hold these assets, each with its min-ADA; without assets one output of ADA only. */
export function smallestOutputs(
  parameters: ProtocolParameters,
  address: string,
  assets: ReadonlyMap<Unit, bigint>,
): DraftOutput[] {
  return partsOf(parameters, assets).map((part) => smallestOutput(parameters, { address, assets: part }));
}

/** Splits a value into as few outputs as the size limit of values allows: all have their min-ADA, the first gets the remaining lovelace. */
export function splitIntoOutputs(parameters: ProtocolParameters, address: string, held: Value): DraftOutput[] {
  return withRest(smallestOutputs(parameters, address, held.assets), held.lovelace);
}

/** The outputs with all of `held` together: the first gets what the others do not hold. */
export function withRest([first, ...others]: readonly DraftOutput[], held: bigint): DraftOutput[] {
  if (!first) return [];
  const rest = held - sumHoldings(others).lovelace;
  return [{ ...first, lovelace: lovelace(requireNonNegative(rest)) }, ...others];
}

/** One output for each asset, with its min-ADA, so that each can be moved on its own. */
export function separateOutputs(
  parameters: ProtocolParameters,
  address: string,
  assets: ReadonlyMap<Unit, bigint>,
): DraftOutput[] {
  return [...assets].map((asset) => smallestOutput(parameters, { address, assets: new Map([asset]) }));
}

/** The most of an asset that every reader of an output takes. Several outputs may hold more, and anybody can send them to a wallet. */
const MOST_IN_OUTPUT = 2n ** 63n - 1n;

/** Divides assets so that each part fits into one output. */
function partsOf(parameters: ProtocolParameters, assets: ReadonlyMap<Unit, bigint>): Map<Unit, bigint>[] {
  const parts = [new Map<Unit, bigint>()];
  for (const [unit, all] of [...assets].sort(([a], [b]) => (a < b ? -1 : 1))) {
    let quantity = all;
    for (; quantity > MOST_IN_OUTPUT; quantity -= MOST_IN_OUTPUT) parts.unshift(new Map([[unit, MOST_IN_OUTPUT]]));
    const current = parts[parts.length - 1] ?? new Map<Unit, bigint>();
    const grown = new Map(current).set(unit, quantity);
    // No amount of lovelace takes more bytes than 2^62.
    if (valueSize({ lovelace: lovelace(2n ** 62n), assets: grown }) <= parameters.maxValueSize)
      parts[parts.length - 1] = grown;
    else parts.push(new Map([[unit, quantity]]));
  }
  return parts;
}
