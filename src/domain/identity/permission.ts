export type Action = 'CREATE' | 'READ' | 'UPDATE' | 'DELETE';

/** What a resource is like at the moment of the request: the fields that conditions speak about. */
export type ResourceAttributes = Readonly<Record<string, unknown>>;

/** A grant. Conditions are field equalities over the loaded resource. @see spec, "Authentication" 5 */
export interface Permission {
  readonly resource: string;
  readonly action: Action | '*';
  readonly conditions?: ResourceAttributes;
}

/** What an operation asks for. */
export interface RequiredPermission {
  readonly resource: string;
  readonly action: Action;
}

/** What a wallet takes part in; whose vault, asset or proposal it is, each operation asks by itself. */
const participantResources = ['asset', 'investment', 'stake', 'proposal', 'endorsement', 'vote', 'execution'];

/** Everyone's may be read, one's own changed: `own` is a fact about the row and the caller's wallet. */
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
  PARTICIPANT: [...participantResources.flatMap(participation), { resource: 'vault', action: 'READ' }],
};

/** The roles every wallet holds while it is logged in (design D17). */
export const walletRoles: readonly string[] = ['PARTICIPANT'];

/** What one side of a caller brings along. */
interface Grants {
  readonly roles: readonly string[];
  readonly permissions: readonly Permission[];
}

/** What a caller may do: what its key may and, with a session, what its wallet may (design D38). */
export function effectiveGrants(key: Grants, wallet: Pick<Grants, 'roles'> | null): Grants {
  const roles = [...new Set([...key.roles, ...(wallet?.roles ?? [])])];
  return { roles, permissions: [...permissionsOf(roles), ...key.permissions] };
}

/** The permissions of `roles`; an unknown role grants nothing. */
export function permissionsOf(roles: readonly string[]): readonly Permission[] {
  return roles.flatMap((role) => (Object.hasOwn(rolePermissions, role) ? (rolePermissions[role] ?? []) : []));
}

/** Whether `permissions` allow what is wanted. Without facts no conditional permission counts. */
export function isPermitted(
  permissions: readonly Permission[],
  wanted: RequiredPermission,
  facts: ResourceAttributes = {},
): boolean {
  return permissions.some((permission) => covers(permission, wanted) && holds(permission.conditions, facts));
}

/** Whether some facts exist for which `permissions` allow what is wanted. */
export function couldBePermitted(permissions: readonly Permission[], wanted: RequiredPermission): boolean {
  return permissions.some((permission) => covers(permission, wanted));
}

/** Under what conditions `permissions` allow what is wanted. */
export function conditionsOf(permissions: readonly Permission[], wanted: RequiredPermission): ResourceAttributes[] {
  return permissions.flatMap((permission) =>
    permission.conditions && covers(permission, wanted) ? [permission.conditions] : [],
  );
}

function covers({ resource, action }: Permission, wanted: RequiredPermission): boolean {
  return (resource === '*' || resource === wanted.resource) && (action === '*' || action === wanted.action);
}

function holds(conditions: ResourceAttributes | undefined, facts: ResourceAttributes): boolean {
  return Object.entries(conditions ?? {}).every(
    ([field, expected]) => Object.hasOwn(facts, field) && facts[field] === expected,
  );
}
