import { ServiceError } from '../../platform/errors/errors.ts';
import { refText } from '../../transactions/rules/utxo-ref.ts';
import type { Unit, Utxo } from '../transaction.ts';
import { INPUT_BYTES } from './costs.ts';
import { sumHoldings, type Value } from './values.ts';

interface CoinSelection {
  /** UTxOs to select from. */
  readonly available: readonly Utxo[];
  /** UTxOs that are spent in any case. */
  readonly fixed: readonly Utxo[];
  /** What the outputs need, without what the transaction mints. */
  readonly needed: Value;
  /** Lovelace that the transaction needs with these inputs: outputs, change and fee. Costly to compute. */
  readonly lovelaceNeeded: (inputs: readonly Utxo[]) => bigint;
  readonly maxTxSize: number;
  /** Those of `available` that come after the others: for each asset, and among those with as many assets. */
  readonly later?: ReadonlySet<Utxo>;
  /** Whether UTxOs with the least ADA that is worth spending come first among those with as many assets. */
  readonly smallestFirst?: boolean;
}

/**
 * Selects the inputs of a transaction: the UTxOs that hold the needed assets, then UTxOs with the fewest assets and, as a rule, the most
 * ADA, until `lovelaceNeeded` is covered. Equal UTxOs give equal inputs. Throws ASSET_NOT_IN_WALLET and INSUFFICIENT_FUNDS.
 */
export function selectInputs(selection: CoinSelection): readonly Utxo[] {
  const { available, fixed, needed, lovelaceNeeded, maxTxSize, later, smallestFirst = false } = selection;
  const inputs = [...fixed, ...selectUtxos(available, needed.assets, fixed, later)];
  const others = available.filter((utxo) => !inputs.includes(utxo));
  const remaining = fewestAssetsFirst(others, smallestFirst, later);
  for (;;) {
    const held = sumHoldings(inputs).lovelace;
    const required = held > needed.lovelace || remaining.length === 0 ? lovelaceNeeded(inputs) : null;
    if (required !== null && held >= required) return inputs;
    const next = remaining.shift();
    if (!next) throw insufficientFunds(available, (required ?? needed.lovelace) - sumHoldings(fixed).lovelace);
    inputs.push(next);
    if (inputs.length * INPUT_BYTES > maxTxSize) throw new TooManyInputs();
  }
}

/** Selects UTxOs that together with `fixed` hold the needed assets, largest first, those of `later` last. Throws ASSET_NOT_IN_WALLET. */
export function selectUtxos(
  available: readonly Utxo[],
  needed: ReadonlyMap<Unit, bigint>,
  fixed: readonly Utxo[] = [],
  later: ReadonlySet<Utxo> = new Set(),
): Utxo[] {
  const selected: Utxo[] = [];
  for (const [unit, required] of needed) {
    const quantityIn = (utxo: Utxo) => utxo.assets.get(unit) ?? 0n;
    const holders = available.filter((utxo) => quantityIn(utxo) > 0n && !selected.includes(utxo));
    let missing = [...fixed, ...selected].reduce((rest, utxo) => rest - quantityIn(utxo), required);
    const mostFirst = (a: Utxo, b: Utxo) => descending(quantityIn(a), quantityIn(b)) || byRef(a, b);
    for (const holder of holders.sort((a, b) => laterLast(later, a, b) || mostFirst(a, b))) {
      if (missing <= 0n) break;
      selected.push(holder);
      missing -= quantityIn(holder);
    }
    if (missing > 0n) {
      throw new ServiceError('ASSET_NOT_IN_WALLET', {
        unit,
        required: required.toString(),
        available: (required - missing).toString(),
      });
    }
  }
  return selected;
}

/** What a smaller UTxO leaves as change pays for nothing any more. */
const LEAST_WORTH_SPENDING = 5_000_000n;

/** A transaction would be larger than the ledger allows. */
export class TooManyInputs extends ServiceError {
  constructor() {
    super('INSUFFICIENT_FUNDS', { reason: 'the ADA is in more UTxOs than one transaction can spend' });
  }
}

function insufficientFunds(available: readonly Utxo[], required: bigint): ServiceError {
  return new ServiceError('INSUFFICIENT_FUNDS', {
    required: required.toString(),
    available: sumHoldings(available).lovelace.toString(),
  });
}

/** ADA-only UTxOs come before those whose assets would have to go into the change. */
function fewestAssetsFirst(
  utxos: readonly Utxo[],
  smallestFirst: boolean,
  later: ReadonlySet<Utxo> = new Set(),
): Utxo[] {
  const isSmall = ({ lovelace }: Utxo) => smallestFirst && lovelace < LEAST_WORTH_SPENDING;
  const byLovelace = (a: Utxo, b: Utxo) => {
    if (isSmall(a) !== isSmall(b)) return isSmall(a) ? 1 : -1;
    return smallestFirst && !isSmall(a) ? descending(b.lovelace, a.lovelace) : descending(a.lovelace, b.lovelace);
  };
  const byAssets = (a: Utxo, b: Utxo) => a.assets.size - b.assets.size || laterLast(later, a, b);
  return [...utxos].sort((a, b) => byAssets(a, b) || byLovelace(a, b) || byRef(a, b));
}

function laterLast(later: ReadonlySet<Utxo>, a: Utxo, b: Utxo): number {
  return Number(later.has(a)) - Number(later.has(b));
}

function descending(a: bigint, b: bigint): number {
  return a === b ? 0 : a > b ? -1 : 1;
}

function byRef(a: Utxo, b: Utxo): number {
  return refText(a) < refText(b) ? -1 : 1;
}
