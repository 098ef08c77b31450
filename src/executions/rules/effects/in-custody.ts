import { ServiceError } from '../../../platform/errors/errors.ts';
import type { AffectedAsset } from './effect-rules.ts';

/** Throws ASSET_NO_LONGER_HELD with the assets that have left custody. */
export function requireInCustody(assets: readonly AffectedAsset[]): void {
  const gone = assets.filter(({ status, stakingAddress }) => status !== 'LOCKED' || stakingAddress !== null);
  if (gone.length > 0) throw new ServiceError('ASSET_NO_LONGER_HELD', { assetIds: gone.map(({ id }) => id) });
}
