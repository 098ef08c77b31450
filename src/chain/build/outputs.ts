import { lovelace } from '../../domain/units/money.ts';
import type { ProtocolParameters } from '../ledger/parameters.ts';
import type { Unit } from '../transaction.ts';
import { minAda, valueSize } from './costs.ts';
import type { DraftOutput } from './draft.ts';
import { requireNonNegative, sumHoldings, type Value } from './values.ts';

/** The fewest outputs that can hold these assets, each with its min-ADA; without assets one output of ADA only. */
export function smallestOutputs(
  parameters: ProtocolParameters,
  address: string,
  assets: ReadonlyMap<Unit, bigint>,
): DraftOutput[] {
  const empty = partsOf(parameters, assets).map((part) => ({ address, lovelace: lovelace(0n), assets: part }));
  return empty.map((output) => ({ ...output, lovelace: minAda(parameters, output) }));
}

/** Splits a value into as few outputs as the size limit of values allows: all have their min-ADA, the first gets the remaining lovelace. Throws INSUFFICIENT_FUNDS. */
export function splitIntoOutputs(parameters: ProtocolParameters, address: string, held: Value): DraftOutput[] {
  const [first, ...others] = smallestOutputs(parameters, address, held.assets);
  if (!first) return [];
  const rest = held.lovelace - sumHoldings(others).lovelace;
  return [{ ...first, lovelace: lovelace(requireNonNegative(rest)) }, ...others];
}

/** Divides assets so that each part fits into one output. */
function partsOf(parameters: ProtocolParameters, assets: ReadonlyMap<Unit, bigint>): Map<Unit, bigint>[] {
  const parts = [new Map<Unit, bigint>()];
  for (const [unit, quantity] of [...assets].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const current = parts[parts.length - 1] ?? new Map<Unit, bigint>();
    const grown = new Map(current).set(unit, quantity);
    // No amount of lovelace takes more bytes than 2^62.
    if (valueSize({ lovelace: lovelace(2n ** 62n), assets: grown }) <= parameters.maxValueSize)
      parts[parts.length - 1] = grown;
    else parts.push(new Map([[unit, quantity]]));
  }
  return parts;
}
