import { ServiceError } from '../domain/errors.ts';
import { isPermitted, type Permission } from '../domain/permission.ts';

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

/** Calls an open operation without a key. */
export const anonymous: Caller = { apiKeyId: 'anonymous', roles: [], permissions: [], wallet: null, sessionId: null };

/** How `caller` acts for `wallet`: by its session or on its behalf (audit-logged); else INSUFFICIENT_PERMISSIONS. @see design D17 */
export function actingFor(caller: Caller, wallet: string): 'session' | 'on_behalf' {
  if (caller.wallet === wallet) return 'session';
  if (mayActOnBehalf(caller)) return 'on_behalf';
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', { required: `session of ${wallet}, or permission wallet:UPDATE` });
}

/** Whether `actingFor` would let the caller act for `wallet`. */
export function mayActFor(caller: Caller, wallet: string): boolean {
  return caller.wallet === wallet || mayActOnBehalf(caller);
}

/** Whether `caller` is a trusted backend that may act for any wallet (permission `wallet:UPDATE`). */
export function mayActOnBehalf(caller: Caller): boolean {
  return isPermitted(caller.permissions, { resource: 'wallet', action: 'UPDATE' });
}
