import { type AssetStatus } from '../asset/asset.ts';
import { type FieldProblem, fieldError, ServiceError } from '../errors.ts';

export interface VaultAsset {
  readonly id: string;
  readonly policyId: string;
  readonly assetNameHex: string;
  readonly status: AssetStatus;
  /** Null in custody; left out where that does not matter. */
  readonly stakingAddress?: string | null;
}

/** An asset as a proposal names it; both parts in hex. */
export type AssetName = Pick<VaultAsset, 'policyId' | 'assetNameHex'>;

/**
 * The vault's locked assets a proposal names, each once; a name means all that go by it, as several may have brought the same token,
 * and where some of them lie at `place` (null: in custody), those. Throws ASSET_NOT_IN_VAULT at `<field>.<position>`.
 */
export function affectedAssets(
  named: readonly AssetName[],
  held: readonly VaultAsset[],
  field: string,
  place: string | null = null,
): readonly string[] {
  const found = named.map((asset) => {
    const all = held.filter((one) => one.status === 'LOCKED' && isNamed(one, asset));
    const there = all.filter(({ stakingAddress }) => stakingAddress === place);
    return (there.length > 0 ? there : all).map(({ id }) => id);
  });
  const errors = found.flatMap((ids, position): FieldProblem[] => {
    const message = 'The vault does not hold this asset';
    return ids.length === 0 ? [{ code: 'ASSET_NOT_IN_VAULT', message, field: `${field}.${position}` }] : [];
  });
  if (errors.length > 0) throw new ServiceError('ASSET_NOT_IN_VAULT', { errors });
  return [...new Set(found.flat())];
}

/** A proposal past voting, which holds its assets (design D23). */
export interface HoldingProposal {
  readonly id: string;
  readonly assetIds: readonly string[];
}

/** Who of these already holds one of the assets; undefined when they are all free. */
export function findConflictingProposal(
  assetIds: readonly string[],
  others: readonly HoldingProposal[],
): HoldingProposal | undefined {
  return others.find((other) => other.assetIds.some((id) => assetIds.includes(id)));
}

/** Throws ASSET_IN_ANOTHER_PROPOSAL at `field` when one of these holds one of the assets. */
export function requireFreeAssets(
  assetIds: readonly string[],
  others: readonly HoldingProposal[],
  field: string,
): void {
  const holder = findConflictingProposal(assetIds, others);
  if (holder) throw fieldError('ASSET_IN_ANOTHER_PROPOSAL', field, `Proposal ${holder.id} has passed over it`);
}

function isNamed(asset: VaultAsset, { policyId, assetNameHex }: AssetName): boolean {
  return (
    asset.policyId.toLowerCase() === policyId.toLowerCase() &&
    asset.assetNameHex.toLowerCase() === assetNameHex.toLowerCase()
  );
}
