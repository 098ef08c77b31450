import { ServiceError } from '../errors.ts';
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

/** Calls an open operation without a key. */
export const anonymous: Caller = { apiKeyId: 'anonymous', roles: [], permissions: [], wallet: null, sessionId: null };

/**
 * Lets `caller` act for `wallet`, or throws INSUFFICIENT_PERMISSIONS (design D17). Answers the wallet when a key speaks for it, which
 * the audit log tells; undefined when it is its own session.
 */
export function requireMayActFor(caller: Caller, wallet: string): string | undefined {
  if (caller.wallet === wallet) return undefined;
  if (mayActForAnyWallet(caller)) return wallet;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', { required: `session of ${wallet}, or permission wallet:UPDATE` });
}

/** Whether `requireMayActFor` would let the caller act for `wallet`. */
export function mayActFor(caller: Caller, wallet: string): boolean {
  return caller.wallet === wallet || mayActForAnyWallet(caller);
}

/** Whether `caller` is a trusted backend that may act for any wallet (permission `wallet:UPDATE`). */
export function mayActForAnyWallet(caller: Caller): boolean {
  return isPermitted(caller.permissions, { resource: 'wallet', action: 'UPDATE' });
}
