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

/** The resources of a participant. Each operation checks by itself whose vault, asset or proposal it is. */
const participantResources = ['asset', 'investment', 'stake', 'proposal', 'endorsement', 'vote', 'execution'];

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
    // The admin of a vault may change it (design D47).
    { resource: 'vault', action: 'UPDATE', conditions: { own: true } },
  ],
};

/** The roles every wallet holds while it is logged in (design D17). */
export const walletRoles: readonly string[] = ['PARTICIPANT'];

/** The roles and permissions of an API key, or of a wallet. */
interface Grants {
  readonly roles: readonly string[];
  readonly permissions: readonly Permission[];
}

/** The roles and permissions of a caller: those of the key and, with a session, those of the wallet (design D38). */
export function effectiveGrants(key: Grants, wallet: Pick<Grants, 'roles'> | null): Grants {
  const roles = [...new Set([...key.roles, ...(wallet?.roles ?? [])])];
  return { roles, permissions: [...permissionsOf(roles), ...key.permissions] };
}

/** The permissions of `roles`; an unknown role grants nothing. */
export function permissionsOf(roles: readonly string[]): readonly Permission[] {
  return roles.flatMap((role) => (Object.hasOwn(rolePermissions, role) ? (rolePermissions[role] ?? []) : []));
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
