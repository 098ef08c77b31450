import type { AssetStatus } from '../../assets/rules/asset.ts';
import type { FieldProblem } from '../../platform/error-registry.ts';
import { fieldError, ServiceError } from '../../platform/errors.ts';

/** An asset of a vault, as far as a proposal can name it. */
export interface VaultAsset {
  readonly id: string;
  readonly policyId: string;
  readonly assetNameHex: string;
  readonly status: AssetStatus;
  /** The address at which it is staked; null in custody, absent where that does not matter. */
  readonly stakingAddress?: string | null;
}

/** The name of an asset: policy id and asset name, both in hex. */
export type AssetName = Pick<VaultAsset, 'policyId' | 'assetNameHex'>;

/**
 * Ids of the vault's locked assets that a proposal names, each once. A name means every asset of that name, because several
 * wallets may have contributed the same token. Assets at `location` (a staking address, or null for custody) take precedence
 * over others of the same name. Throws ASSET_NOT_IN_VAULT at `<field>.<position>`.
 */
export function affectedAssetIds(
  named: readonly AssetName[],
  held: readonly VaultAsset[],
  field: string,
  location: string | null = null,
): readonly string[] {
  return [...new Set(assetIdsByName(named, held, field, location).flat())];
}

/** As `affectedAssetIds`: the ids of each named asset, in the order of the names. */
export function assetIdsByName(
  named: readonly AssetName[],
  held: readonly VaultAsset[],
  field: string,
  location: string | null = null,
): readonly (readonly string[])[] {
  const found = named.map((asset) => {
    const all = held.filter((one) => one.status === 'LOCKED' && isNamed(one, asset));
    const there = all.filter(({ stakingAddress }) => stakingAddress === location);
    return (there.length > 0 ? there : all).map(({ id }) => id);
  });
  const errors = found.flatMap((ids, position): FieldProblem[] => {
    const message = 'The vault does not hold this asset.';
    return ids.length === 0 ? [{ code: 'ASSET_NOT_IN_VAULT', message, field: `${field}.${position}` }] : [];
  });
  if (errors.length > 0) throw new ServiceError('ASSET_NOT_IN_VAULT', { errors });
  return found;
}

/** A passed proposal, which reserves its assets (design D23). */
export interface ReservingProposal {
  readonly id: string;
  readonly assetIds: readonly string[];
}

/** The first proposal that reserves one of the assets; undefined when all of them are free. */
export function findConflictingProposal(
  assetIds: readonly string[],
  others: readonly ReservingProposal[],
): ReservingProposal | undefined {
  return others.find((other) => other.assetIds.some((id) => assetIds.includes(id)));
}

/** Throws ASSET_IN_ANOTHER_PROPOSAL at `field` when another proposal reserves one of the assets. */
export function requireFreeAssets(
  assetIds: readonly string[],
  others: readonly ReservingProposal[],
  field: string,
): void {
  const conflict = findConflictingProposal(assetIds, others);
  if (conflict)
    throw fieldError('ASSET_IN_ANOTHER_PROPOSAL', field, `Proposal ${conflict.id} has passed and reserves this asset.`);
}

function isNamed(asset: VaultAsset, { policyId, assetNameHex }: AssetName): boolean {
  return (
    asset.policyId.toLowerCase() === policyId.toLowerCase() &&
    asset.assetNameHex.toLowerCase() === assetNameHex.toLowerCase()
  );
}
