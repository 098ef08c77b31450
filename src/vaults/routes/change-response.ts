import type { Caller } from '../../access/rules/caller.ts';
import { readVaultView } from '../read-vault.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import type { WriteLocks } from '../../anchoring/anchors.ts';
import { enveloped } from '../../platform/http/envelope.ts';
import { presentVault } from './response.ts';

/** Reads the vault after the change, in the database transaction that made it. `transaction` is the anchor as the operation presents it. */
export async function presentChangedVault<const Anchor>(
  { tx: db, now }: TransactionContext,
  { vaultId, caller }: { readonly vaultId: string; readonly caller: Caller },
  transaction: Anchor,
) {
  const view = await readVaultView({ db }, vaultId, { caller, now });
  return enveloped({ ...presentVault(view), transaction }, now);
}

/** The locks for changing a vault. */
export function vaultLocks(vaultId: string): WriteLocks {
  return { fence: `vault:${vaultId}`, side: 'closed', stakesOf: null };
}
