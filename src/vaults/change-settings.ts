import type { AnchoredChange, AnchoringContext } from '../anchoring/anchors.ts';
import type { CustomPrice } from '../prices/rules/custom-price.ts';
import { printPercentage } from '../platform/units/percentage.ts';
import { requireChangeable, type SettingsChange } from './rules/settings.ts';
import { setSettings } from './queries/vault-changes.ts';
import type { FreeActionLimit } from '../context.ts';
import { countFreeAction } from '../proposals/free-actions.ts';
import { publishVaultChange, requireChangeableVault, type VaultChangeInput } from './change-vault.ts';

/**
 * Changes settings of a vault; those that are not given stay (design D39c). Throws VAULT_NOT_FOUND, INSUFFICIENT_PERMISSIONS,
 * VAULT_ALREADY_ENDED, SETTING_NOT_CHANGEABLE and FREE_ACTIONS_USED_UP.
 */
export async function changeSettings(
  context: AnchoringContext,
  limit: FreeActionLimit,
  input: VaultChangeInput,
  change: SettingsChange,
): Promise<AnchoredChange> {
  const changeable = await requireChangeableVault(context, input, 'changeSettings');
  await countFreeAction(context, limit, { wallet: changeable.vault.createdBy, kind: 'vault_change' });
  requireChangeable(changeable.vault.terms, change, changeable.snapshot, context.now);
  await setSettings(context, changeable.vault, change);
  const { investorListEnabled, investorWhitelist, valuationType, customPrices, fdp } = change;
  return publishVaultChange(context, changeable, input, {
    action: 'VAULT_SETTINGS_CHANGED',
    kind: 'vault_settings_changed',
    data: {
      ...(investorListEnabled !== undefined && { investorListEnabled }),
      ...(valuationType !== undefined && { valuationType }),
      ...(customPrices !== undefined && { customPrices: customPrices.length }),
      ...(fdp !== undefined && { fdp: printPercentage(fdp) }),
    },
    lists: {
      ...(investorWhitelist && { entries: investorWhitelist }),
      ...(customPrices && { prices: customPrices.map(anchoredPrice) }),
    },
  });
}

function anchoredPrice({ policyId, assetName, lovelace, decimals, maxQuantity }: CustomPrice) {
  return {
    policyId,
    assetNameHex: assetName,
    lovelace: lovelace.toString(),
    decimals,
    maxQuantity: maxQuantity ?? null,
  };
}
