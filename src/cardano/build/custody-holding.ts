import { type AssetClass, unitOf } from '../../assets/rules/asset.ts';
import { ServiceError } from '../../platform/errors/errors.ts';
import type { Unit, Utxo } from '../transaction.ts';
import { selectUtxos } from './coin-selection.ts';
import { sumHoldings } from './values.ts';

/** A quantity of an asset in base units. */
export interface AssetQuantity extends AssetClass {
  readonly quantity: bigint;
}

/** Quantities in base units, by policy id + asset name. */
export function unitsOf(assets: readonly AssetQuantity[]): Map<Unit, bigint> {
  const units = new Map<Unit, bigint>();
  for (const asset of assets) {
    const unit = unitOf(asset);
    units.set(unit, (units.get(unit) ?? 0n) + asset.quantity);
  }
  return units;
}

/** The UTxOs in custody. */
export interface CustodyUtxos {
  /** All of them, and those among them that no open transaction holds. */
  readonly inCustody: readonly Utxo[];
  readonly free: readonly Utxo[];
}

/** Free UTxOs in custody that hold these units. Throws ASSET_NO_LONGER_HELD and CUSTODY_IN_USE. */
export function utxosInCustody({ inCustody, free }: CustodyUtxos, units: ReadonlyMap<Unit, bigint>): Utxo[] {
  if (holds(free, units)) return selectUtxos(free, units);
  throw new ServiceError(holds(inCustody, units) ? 'CUSTODY_IN_USE' : 'ASSET_NO_LONGER_HELD', {
    units: [...units.keys()],
  });
}

function holds(utxos: readonly Utxo[], units: ReadonlyMap<Unit, bigint>): boolean {
  const { assets } = sumHoldings(utxos);
  return [...units].every(([unit, quantity]) => (assets.get(unit) ?? 0n) >= quantity);
}
