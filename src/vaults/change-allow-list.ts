import type { AnchoredChange, AnchoringContext } from '../anchoring/anchors.ts';
import { type AllowListChange, changedAllowList } from './rules/allow-list.ts';
import { requireNoFewerInvestors, requireNoMorePolicies } from './rules/list-changes.ts';
import { setAllowList } from './queries/vault-changes.ts';
import type { Vault } from './queries/vaults.ts';
import type { FreeActionLimit } from '../context.ts';
import { countFreeAction } from '../proposals/free-actions.ts';
import { publishVaultChange, requireChangeableVault, type VaultChangeInput } from './change-vault.ts';

interface AllowListChanged extends AnchoredChange {
  /** The number of entries after the change. */
  readonly count: number;
}

/**
 * Adds entries to an allow-list of a vault, or removes them; what was already deposited stays (design D39c). Throws VAULT_NOT_FOUND,
 * INSUFFICIENT_PERMISSIONS, VAULT_ALREADY_ENDED, SETTING_NOT_CHANGEABLE, FREE_ACTIONS_USED_UP and INVALID_REQUEST.
 */
export async function changeAllowList(
  context: AnchoringContext,
  limit: FreeActionLimit,
  input: VaultChangeInput,
  change: AllowListChange,
): Promise<AllowListChanged> {
  const { type, operation } = change;
  const changeable = await requireChangeableVault(context, input, 'changeAllowList');
  await countFreeAction(context, limit, { wallet: changeable.vault.createdBy, kind: 'vault_change' });
  const before = listOf(changeable.vault, type);
  const entries = changedAllowList(before, change);
  const listed = { before, after: entries, field: 'addresses' };
  const { assetWindow } = changeable.snapshot;
  if (type === 'INVESTOR') requireNoFewerInvestors(changeable.vault.terms, listed, assetWindow, context.now);
  if (type === 'ASSET') requireNoMorePolicies(listed, assetWindow, context.now);
  await setAllowList(context, input.vaultId, { type, entries });
  const anchored = await publishVaultChange(context, changeable, input, {
    action: 'VAULT_ALLOW_LIST_CHANGED',
    kind: 'allow_list_changed',
    data: { type, operation, count: entries.length },
    lists: { entries: change.entries },
  });
  return { ...anchored, count: entries.length };
}

function listOf({ terms }: Vault, type: AllowListChange['type']): readonly string[] {
  const lists = {
    ASSET: terms.assetWhitelist,
    CONTRIBUTOR: terms.contributorWhitelist,
    INVESTOR: terms.investorWhitelist,
  };
  return lists[type];
}
