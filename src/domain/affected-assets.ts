import { type AssetStatus } from './asset.ts';
import { type FieldProblem, fieldError, ServiceError } from './errors.ts';

export interface VaultAsset {
  readonly id: string;
  readonly policyId: string;
  readonly assetNameHex: string;
  readonly status: AssetStatus;
}

/** An asset as a proposal names it; both parts in hex. */
export type AssetName = Pick<VaultAsset, 'policyId' | 'assetNameHex'>;

/** The vault's locked assets a proposal names, each once; throws ASSET_NOT_IN_VAULT at `<field>.<position>`. */
export function affectedAssets(
  named: readonly AssetName[],
  held: readonly VaultAsset[],
  field: string,
): readonly string[] {
  const found = named.map((asset) => held.find((one) => one.status === 'LOCKED' && isNamed(one, asset))?.id);
  const errors = found.flatMap((id, position): FieldProblem[] => {
    const message = 'The vault does not hold this asset';
    return id === undefined ? [{ code: 'ASSET_NOT_IN_VAULT', message, field: `${field}.${position}` }] : [];
  });
  if (errors.length > 0) throw new ServiceError('ASSET_NOT_IN_VAULT', { errors });
  return [...new Set(found.filter((id) => id !== undefined))];
}

/** A proposal past voting, which holds its assets (design D23). */
export interface HoldingProposal {
  readonly id: string;
  readonly assetIds: readonly string[];
}

/** Who of these already holds one of the assets; undefined when they are all free. */
export function holderOf(assetIds: readonly string[], others: readonly HoldingProposal[]): HoldingProposal | undefined {
  return others.find((other) => other.assetIds.some((id) => assetIds.includes(id)));
}

/** Throws ASSET_IN_ANOTHER_PROPOSAL at `field` when one of these holds one of the assets. */
export function requireFreeAssets(
  assetIds: readonly string[],
  others: readonly HoldingProposal[],
  field: string,
): void {
  const holder = holderOf(assetIds, others);
  if (holder) throw fieldError('ASSET_IN_ANOTHER_PROPOSAL', field, `Proposal ${holder.id} has passed over it`);
}

function isNamed(asset: VaultAsset, { policyId, assetNameHex }: AssetName): boolean {
  return (
    asset.policyId.toLowerCase() === policyId.toLowerCase() &&
    asset.assetNameHex.toLowerCase() === assetNameHex.toLowerCase()
  );
}
