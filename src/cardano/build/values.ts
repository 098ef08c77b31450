import { ServiceError } from '../../platform/errors.ts';
import { lovelace } from '../../platform/units/money.ts';
import type { Holding, Unit } from '../transaction.ts';

/** Lovelace and assets of one or several inputs or outputs. */
export type Value = Pick<Holding, 'lovelace' | 'assets'>;

/** The sum of several holdings. */
export function sumHoldings(holdings: Iterable<Value>): Value {
  let coin = 0n;
  const assets = new Map<Unit, bigint>();
  for (const holding of holdings) {
    coin += holding.lovelace;
    for (const [unit, quantity] of holding.assets) assets.set(unit, (assets.get(unit) ?? 0n) + quantity);
  }
  return { lovelace: lovelace(coin), assets };
}

/** The assets that remain when `taken` leaves; throws RangeError when `held` has fewer. */
export function subtractAssets(held: ReadonlyMap<Unit, bigint>, taken: ReadonlyMap<Unit, bigint>): Map<Unit, bigint> {
  const left = new Map(held);
  for (const [unit, quantity] of taken) {
    const rest = (left.get(unit) ?? 0n) - quantity;
    if (rest < 0n) throw new RangeError(`${-rest} of ${unit} are missing`);
    if (rest === 0n) left.delete(unit);
    else left.set(unit, rest);
  }
  return left;
}

/** Share number `index` of an amount that is divided equally by `count`; the first shares get the remainder. */
export function equalShare(amount: bigint, count: number, index: number): bigint {
  const among = BigInt(count);
  return amount / among + (BigInt(index) < amount % among ? 1n : 0n);
}

/** The amount itself; throws INSUFFICIENT_FUNDS with the missing lovelace when it is negative. */
export function requireNonNegative(amount: bigint): bigint {
  if (amount < 0n) throw new ServiceError('INSUFFICIENT_FUNDS', { missingLovelace: (-amount).toString() });
  return amount;
}
