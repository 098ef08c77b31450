import type { Caller } from '../access/rules/caller.ts';
import { findVault } from '../vaults/queries/vaults.ts';
import type { Actor } from '../access/actor.ts';
import type { ServiceContext } from '../context.ts';
import { prefetchWallet, type WalletPrefetch } from '../transactions/wallet-prefetch.ts';
import { tokensOfNobody } from '../vaults/require-held-vault.ts';
import { requireLockedVault } from '../vaults/require-vault-state.ts';
import { isReadable } from '../vaults/vault-access.ts';

/**
 * Reads what a staker can pay with. Throws the errors of `requireLockedVault` before it asks the ledger, and LEDGER_UNAVAILABLE. For an
 * absent vault it asks as much as for one that the caller may not read: `stake` refuses both, and neither sooner.
 */
export async function prefetchStake(
  context: Pick<ServiceContext, 'db' | 'networkState' | 'ledger' | 'networkId'>,
  { vaultId, caller, staker }: { readonly vaultId: string; readonly caller: Caller; readonly staker: Actor },
): Promise<WalletPrefetch> {
  const vault = await findVault(context.db, vaultId);
  // Whoever may not read the vault must hold its tokens to hear anything of it, and only the ledger knows that.
  if (vault && (await isReadable(context.db, caller, vault))) requireLockedVault(vault);
  return prefetchWallet(context, staker, [vault?.ftUnit ?? tokensOfNobody]);
}
