import { ServiceError } from '../../platform/errors/errors.ts';
import { isPermitted, type Permission } from './permission.ts';

/** Who makes a request: an API key and, with a session, the wallet that logged in. */
export interface Caller {
  readonly apiKeyId: string;
  readonly roles: readonly string[];
  /** Effective permissions: those of the key, its roles and the session's wallet. */
  readonly permissions: readonly Permission[];
  /** The wallet proven by a session; null for a key alone. */
  readonly wallet: string | null;
  /** Set exactly when `wallet` is. */
  readonly sessionId: string | null;
}

/** The caller of an operation that needs no API key. */
export const anonymous: Caller = { apiKeyId: 'anonymous', roles: [], permissions: [], wallet: null, sessionId: null };

/**
 * Throws INSUFFICIENT_PERMISSIONS unless `caller` may act for `wallet` (design D17). Returns the wallet when an API key acts for
 * it, for the audit log; undefined when the caller has a session of that wallet.
 */
export function requireMayActFor(caller: Caller, wallet: string): string | undefined {
  if (caller.wallet === wallet) return undefined;
  if (mayActForAnyWallet(caller)) return wallet;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', { required: `session of ${wallet}, or permission wallet:UPDATE` });
}

/**
 * As `requireMayActFor`, for a wallet that a request names: a session names only its own, whatever its permissions. A statement in
 * somebody else's name would otherwise look like one of theirs.
 */
export function requireMayName(caller: Caller, wallet: string): string | undefined {
  requireOwnWallet(caller, wallet);
  return requireMayActFor(caller, wallet);
}

/** Throws INSUFFICIENT_PERMISSIONS when `caller` has a session of another wallet than `wallet`. */
export function requireOwnWallet(caller: Caller, wallet: string): void {
  if (caller.wallet === null || caller.wallet === wallet) return;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
    required: `session of ${wallet}, or a request without a session`,
  });
}

/** Whether the caller may act for `wallet`. */
export function mayActFor(caller: Caller, wallet: string): boolean {
  return caller.wallet === wallet || mayActForAnyWallet(caller);
}

/** Whether `caller` is a trusted backend that may act for any wallet (permission `wallet:UPDATE`). */
export function mayActForAnyWallet(caller: Caller): boolean {
  return isPermitted(caller.permissions, { resource: 'wallet', action: 'UPDATE' });
}

/** Whom the audit log names as the actor: the wallet that is logged in, or the API key. */
export function auditActorOf({ wallet, apiKeyId }: Caller): {
  readonly id: string;
  readonly type: 'API_KEY' | 'WALLET';
} {
  return wallet === null ? { id: apiKeyId, type: 'API_KEY' } : { id: wallet, type: 'WALLET' };
}
