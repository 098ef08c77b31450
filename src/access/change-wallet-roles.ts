import { ServiceError } from '../platform/errors.ts';
import { auditActorOf, type Caller, mayGrant } from './rules.ts';
import type { Instant } from '../platform/units/time.ts';
import { recordAudit } from './queries/audit-log.ts';
import { announceCredentialChange } from './queries/api-keys.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { lockWalletRoles, setWalletRoles } from './queries/wallet-roles.ts';
import { requireLiveKey } from './api-keys.ts';

interface ChangeWalletRoles {
  readonly wallet: string;
  readonly roles: readonly string[];
  readonly caller: Caller;
  /** Wall time. */
  readonly now: Instant;
}

/**
 * Replaces the roles that the wallet was given; its sessions have the new ones at once. Throws INVALID_API_KEY, and
 * INSUFFICIENT_PERMISSIONS when a role that is given or taken away may do what the caller may not.
 */
export async function changeWalletRoles(
  context: TransactionContext,
  { wallet, roles, caller, now }: ChangeWalletRoles,
): Promise<void> {
  const { tx } = context;
  await requireLiveKey(tx, caller, now);
  const actor = auditActorOf(caller);
  const at = new Date(now);
  const before = await lockWalletRoles(tx, wallet, actor.id, at);
  if (!mayGrant(caller.permissions, { roles: [...before, ...roles], permissions: [] }))
    throw new ServiceError('INSUFFICIENT_PERMISSIONS', { required: 'every permission of the roles' });
  await setWalletRoles(tx, wallet, roles, actor.id, at);
  await announceCredentialChange(tx, { kind: 'wallet', wallet });
  const metadata = { before, after: roles, apiKeyId: caller.apiKeyId };
  await recordAudit(context, {
    action: 'WALLET_ROLES_CHANGED',
    actor,
    resource: { type: 'wallet', id: wallet },
    metadata,
  });
}
