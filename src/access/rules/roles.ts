import type { Permission } from './permission.ts';

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
