import { selectUtxos } from '../../../chain/build/coin-selection.ts';
import { sumHoldings } from '../../../chain/build/values.ts';
import type { Unit, Utxo } from '../../../chain/transaction.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { Asset } from '../../../store/assets.ts';
import type { EffectInputs } from './effect.ts';

/** Throws ASSET_NO_LONGER_HELD with the assets that have left custody. */
export function requireInCustody(assets: readonly Asset[]): void {
  const gone = assets.filter(({ status, stakingAddress }) => status !== 'LOCKED' || stakingAddress !== null);
  if (gone.length > 0) throw new ServiceError('ASSET_NO_LONGER_HELD', { assetIds: gone.map(({ id }) => id) });
}

/** Quantities in base units, by policy id + asset name. */
export function unitsOf(assets: readonly Pick<Asset, 'policyId' | 'assetName' | 'quantity'>[]): Map<Unit, bigint> {
  const units = new Map<Unit, bigint>();
  for (const { policyId, assetName, quantity } of assets) {
    const unit = policyId + assetName;
    units.set(unit, (units.get(unit) ?? 0n) + quantity);
  }
  return units;
}

/** Free UTxOs in custody that hold these units. Throws ASSET_NO_LONGER_HELD and CUSTODY_IN_USE. */
export function utxosInCustody({ inCustody, free }: EffectInputs, units: ReadonlyMap<Unit, bigint>): Utxo[] {
  if (holds(free, units)) return selectUtxos(free, units);
  throw new ServiceError(holds(inCustody, units) ? 'CUSTODY_IN_USE' : 'ASSET_NO_LONGER_HELD', {
    units: [...units.keys()],
  });
}

function holds(utxos: readonly Utxo[], units: ReadonlyMap<Unit, bigint>): boolean {
  const { assets } = sumHoldings(utxos);
  return [...units].every(([unit, quantity]) => (assets.get(unit) ?? 0n) >= quantity);
}
