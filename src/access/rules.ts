import { ServiceError } from '../platform/errors.ts';
import { type Instant, isoText } from '../platform/units/time.ts';

/** The resources of a participant. Each operation checks by itself whose vault, asset or proposal it is. */
const participantResources = ['asset', 'investment', 'stake', 'claim', 'proposal', 'endorsement', 'vote', 'execution'];

/** Permissions to create and read any, and to change one's own; `own` compares the owner with the caller's wallet. */
const participation = (resource: string): readonly Permission[] => [
  { resource, action: 'CREATE' },
  { resource, action: 'READ' },
  { resource, action: 'UPDATE', conditions: { own: true } },
  { resource, action: 'DELETE', conditions: { own: true } },
];

/** The roles of the spec and the additive PARTICIPANT (design D17), as data. `*` as resource means every resource. */
const rolePermissions: Readonly<Record<string, readonly Permission[]>> = {
  ADMIN: [{ resource: '*', action: '*' }],
  VAULT_CREATOR: [
    { resource: 'vault', action: 'CREATE' },
    { resource: 'vault', action: 'READ' },
  ],
  VOTER: [
    { resource: 'proposal', action: 'READ' },
    { resource: 'vote', action: 'CREATE' },
    { resource: 'vault', action: 'READ', conditions: { status: 'ACTIVE' } },
  ],
  PARTICIPANT: [
    ...participantResources.flatMap(participation),
    { resource: 'vault', action: 'READ' },
    // What the admin of a vault may do (design D47).
    { resource: 'vault', action: 'UPDATE', conditions: { own: true } },
    { resource: 'unsolicited', action: 'READ', conditions: { own: true } },
  ],
};

/** Every role, in the order of the documents. */
export const roles: readonly string[] = Object.keys(rolePermissions);

/** The roles every wallet holds while it is logged in (design D17). */
export const walletRoles: readonly string[] = ['PARTICIPANT'];

/** What a key or a wallet is given. */
export interface Grant {
  readonly roles: readonly string[];
  readonly permissions: readonly Permission[];
}

/** The roles and permissions of a caller: those of the key and, with a session, those of the wallet (design D38). */
export function effectiveGrants(key: Grant, wallet: Pick<Grant, 'roles'> | null): Grant {
  const roles = [...new Set([...key.roles, ...(wallet?.roles ?? [])])];
  return { roles, permissions: [...permissionsOf(roles), ...key.permissions] };
}

/** The permissions of `roles`; an unknown role grants nothing. */
export function permissionsOf(roles: readonly string[]): readonly Permission[] {
  return roles.flatMap((role) => (Object.hasOwn(rolePermissions, role) ? (rolePermissions[role] ?? []) : []));
}

/** What permissions are about: the resources of operations, and `wallet`, for which a trusted backend acts (design D16). */
export const permissionResources = [
  'vault',
  'asset',
  'investment',
  'stake',
  'claim',
  'proposal',
  'endorsement',
  'vote',
  'execution',
  'rotation',
  'unsolicited',
  'wallet',
  'role',
  'apiKey',
  'auditLog',
  'reconciliation',
  'version',
  'announcement',
  'pause',
  'feature_flag',
  'vault_type',
  'asset_type',
] as const;

export type Action = 'CREATE' | 'READ' | 'UPDATE' | 'DELETE';

/** The fields of a resource that conditions compare, as they are at the time of the request. */
export type ResourceAttributes = Readonly<Record<string, unknown>>;

/** A permission. Each condition compares one field of the loaded resource for equality. @see spec, "Authentication" 5 */
export interface Permission {
  readonly resource: string;
  readonly action: Action | '*';
  readonly conditions?: ResourceAttributes;
}

/** The permission that an operation requires. */
export interface RequiredPermission {
  readonly resource: string;
  readonly action: Action;
}

/** Whether `permissions` include the required one. Without attributes, no conditional permission applies. */
export function isPermitted(
  permissions: readonly Permission[],
  required: RequiredPermission,
  attributes: ResourceAttributes = {},
): boolean {
  return permissions.some(
    (permission) => covers(permission, required) && conditionsHold(permission.conditions, attributes),
  );
}

/** Whether `permissions` include the required one under some conditions. */
export function couldBePermitted(permissions: readonly Permission[], required: RequiredPermission): boolean {
  return permissions.some((permission) => covers(permission, required));
}

/** The conditions under which `permissions` include the required one. */
export function conditionsOf(permissions: readonly Permission[], required: RequiredPermission): ResourceAttributes[] {
  return permissions.flatMap((permission) =>
    permission.conditions && covers(permission, required) ? [permission.conditions] : [],
  );
}

function covers({ resource, action }: Permission, required: RequiredPermission): boolean {
  return (resource === '*' || resource === required.resource) && (action === '*' || action === required.action);
}

function conditionsHold(conditions: ResourceAttributes | undefined, attributes: ResourceAttributes): boolean {
  return Object.entries(conditions ?? {}).every(
    ([field, expected]) => Object.hasOwn(attributes, field) && attributes[field] === expected,
  );
}

const actions: readonly Action[] = ['CREATE', 'READ', 'UPDATE', 'DELETE'];

/** Whether a holder of `held` may give this to another: nothing in it may reach beyond what they hold themselves. */
export function mayGrant(held: readonly Permission[], { roles, permissions }: Grant): boolean {
  return [...permissionsOf(roles), ...permissions].every((permission) => isHeld(held, permission));
}

/**
 * When a new key ends: as requested, else as `inherited`, and never after the key of its maker; null is no end. Throws
 * INSUFFICIENT_PERMISSIONS when a later end is requested.
 */
export function grantExpiry(
  makerEnd: Instant | null,
  requested: Instant | undefined,
  inherited: Instant | null,
): Instant | null {
  const end = requested ?? inherited;
  if (makerEnd === null || (end !== null && end <= makerEnd)) return end;
  if (requested === undefined) return makerEnd;
  const message = `The key that creates it expires at ${isoText(makerEnd)}. Choose an earlier time.`;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
    required: 'a key that is valid for as long',
    errors: [{ code: 'INSUFFICIENT_PERMISSIONS', message, field: 'expiresAt' }],
  });
}

/** Whether `held` permits whatever the permission does. A condition that is held must be in the permission as well. */
function isHeld(held: readonly Permission[], { resource, action, conditions }: Permission): boolean {
  const needed = action === '*' ? actions : [action];
  return needed.every((each) => isPermitted(held, { resource, action: each }, conditions));
}

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
