import { fieldError } from '../../platform/errors/errors.ts';
import type { VaultAsset } from './affected-assets.ts';
import type { ProposalEffect } from './effect.ts';
import { executionEffectFields, type RequestedEffect, type RequestedTerms, resolveEffect } from './requested-effect.ts';

const nameVaultAssets = 'Name the asset by policy_id and asset_name, or several as affected_assets';
const missingAssets = {
  ASSET_SALE: nameVaultAssets,
  STAKE: nameVaultAssets,
  BUY: 'Name the asset to buy by policy_id and asset_name',
};

/**
 * The effect that an execution requests. It can name assets that the vault holds and assets that the vote approved, whatever
 * their status is now. Throws INVALID_REQUEST and ASSET_NOT_IN_VAULT.
 */
export function resolveExecutionEffect(
  approved: ProposalEffect,
  { type, assets, terms }: RequestedEffect,
  vaultAssets: readonly VaultAsset[],
): ProposalEffect {
  // Another type is refused as a difference from the approved effect, so its details do not matter.
  if (type !== approved.type) return { ...approved, type } as ProposalEffect;
  if (assets.length === 0 && type !== 'LIQUIDATE') {
    throw fieldError('INVALID_REQUEST', executionEffectFields.assets, missingAssets[type]);
  }
  // A liquidation applies to the whole vault, whatever the request names.
  const named = type === 'LIQUIDATE' ? [] : assets;
  const requested = { type, assets: named, terms: { ...impliedTerms(approved), ...terms } };
  return resolveEffect(requested, nameableAssets(approved, vaultAssets), executionEffectFields);
}

/** Where the vote approved assets of a name, the name means those; they count as held until a later check. */
function nameableAssets({ assetIds }: ProposalEffect, assets: readonly VaultAsset[]): VaultAsset[] {
  const approvedIds = new Set(assetIds);
  const nameOf = ({ policyId, assetNameHex }: VaultAsset) => policyId + assetNameHex;
  const approvedNames = new Set(assets.filter(({ id }) => approvedIds.has(id)).map(nameOf));
  return assets
    .filter((asset) => approvedIds.has(asset.id) || !approvedNames.has(nameOf(asset)))
    .map(({ id, policyId, assetNameHex, status }) => {
      return { id, policyId, assetNameHex, status: approvedIds.has(id) ? 'LOCKED' : status };
    });
}

/** Terms that the vote always fixes, so that a request need not repeat them. */
function impliedTerms({ type, terms }: ProposalEffect): RequestedTerms {
  if (type === 'STAKE') return { direction: terms.direction, stakingAddress: terms.stakingAddress };
  return type === 'BUY' ? { quantity: terms.quantity } : {};
}
