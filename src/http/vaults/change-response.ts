import type { Caller } from '../../domain/identity/caller.ts';
import type { AnchoredChange } from '../../services/anchored-change.ts';
import { requireReadableVault } from '../../services/vaults/vault-access.ts';
import { viewVault } from '../../services/vaults/vault-view.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import type { WriteLocks } from '../../store/write-locks.ts';
import { Enveloped, enveloped } from '../../server/envelope.ts';
import { AnchorTransaction, presentAnchored } from '../transactions/response.ts';
import { VaultResource } from './resource.ts';
import { presentVault } from './response.ts';

/** A vault that the request has changed, with the transaction that anchors the change. */
export const ChangedVault = Enveloped(VaultResource.extend({ transaction: AnchorTransaction }));

/** Reads the vault after the change, in the database transaction that made it. */
export async function presentChangedVault(
  { tx: db, now }: TransactionContext,
  { vaultId, caller }: { readonly vaultId: string; readonly caller: Caller },
  anchored: AnchoredChange,
) {
  const view = await viewVault(db, await requireReadableVault({ db }, caller, vaultId), { caller, now });
  return enveloped({ ...presentVault(view), transaction: presentAnchored(anchored) }, now);
}

/** The locks for changing a vault. */
export function vaultLocks(vaultId: string): WriteLocks {
  return { fence: `vault:${vaultId}`, side: 'closed', stakesOf: null };
}
