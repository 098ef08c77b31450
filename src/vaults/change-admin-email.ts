import type { Caller } from '../access/rules/caller.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { setAdminEmail } from './queries/vault-changes.ts';
import type { EncryptionContext } from '../context.ts';
import { publish } from '../events/publish.ts';
import { requireMayChange, requireReadableVault } from './vault-access.ts';

interface ChangeAdminEmail {
  readonly vaultId: string;
  /** Null erases it. */
  readonly email: string | null;
  readonly caller: Caller;
}

/**
 * Replaces or erases the email address of the vault's admin. Nothing else keeps it: neither events nor the audit log name it.
 * Throws VAULT_NOT_FOUND and INSUFFICIENT_PERMISSIONS.
 */
export async function changeAdminEmail(
  context: TransactionContext,
  { encryption }: EncryptionContext,
  { vaultId, email, caller }: ChangeAdminEmail,
): Promise<void> {
  const vault = await requireReadableVault({ db: context.tx }, caller, vaultId);
  const onBehalfOf = requireMayChange(caller, vault);
  const cell = { table: 'vaults', column: 'admin_email', id: vaultId };
  await setAdminEmail(context.tx, vaultId, email === null ? null : encryption.encrypt(email, cell));
  const action = email === null ? 'VAULT_ADMIN_EMAIL_ERASED' : 'VAULT_ADMIN_EMAIL_CHANGED';
  await publish(context, {
    audit: { action, resource: { type: 'vault', id: vaultId }, metadata: {}, caller, onBehalfOf },
  });
}
