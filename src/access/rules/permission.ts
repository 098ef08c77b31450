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
