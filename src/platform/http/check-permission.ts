import type { Caller } from '../../access/rules/caller.ts';
import { ServiceError } from '../errors/errors.ts';
import {
  conditionsOf,
  couldBePermitted,
  isPermitted,
  type RequiredPermission,
  type ResourceAttributes,
} from '../../access/rules/permission.ts';
import { permissionsOf, walletRoles } from '../../access/rules/roles.ts';

/** The permission that a route requires, and how its conditions are checked (a VOTER reads ACTIVE vaults only). */
export interface RoutePermission<Params, Context> extends RequiredPermission {
  /**
   * Loads the attributes of the resource that conditions refer to. `'per row'`: the handler filters the rows by
   * `isPermitted`, or checks the one row with `requirePermission`. Absent: only unconditional permissions suffice.
   */
  readonly attributes?: 'per row' | ((params: Params, context: Context, caller: Caller) => Promise<ResourceAttributes>);
}

/** A rule that lets every caller in; the operation itself decides what it shows and does. */
export interface Unrestricted {
  /** Why no permission is needed. */
  readonly unrestricted: string;
}

/** Who may call an operation. */
export type AccessRule<Params, Context> = RoutePermission<Params, Context> | Unrestricted;

/** An access rule as data. */
export type PublishedRule =
  | Unrestricted
  | (RequiredPermission & {
      /** Whether a permission with conditions can suffice. */
      readonly isConditional: boolean;
    });

export function publishedRule<Params, Context>(rule: AccessRule<Params, Context>): PublishedRule {
  if ('unrestricted' in rule) return rule;
  const { resource, action, attributes } = rule;
  return { resource, action, isConditional: attributes !== undefined };
}

/**
 * Throws INSUFFICIENT_PERMISSIONS unless the caller has the permission. The details describe what the caller holds and
 * never the resource, so that a hidden resource and a missing one get the same response (design D8).
 */
export async function checkPermission<Params, Context>(
  required: AccessRule<Params, Context>,
  caller: Caller,
  params: () => Params,
  context: Context,
): Promise<void> {
  if ('unrestricted' in required) return;
  const { permissions } = caller;
  if (isPermitted(permissions, required)) return;
  const { attributes } = required;
  const isConditional = couldBePermitted(permissions, required);
  if (isConditional && attributes === 'per row') return;
  requirePermission(
    required,
    caller,
    isConditional && typeof attributes === 'function' ? await attributes(params(), context, caller) : {},
  );
}

/** Throws INSUFFICIENT_PERMISSIONS unless the caller has the permission for a resource with these attributes, as `checkPermission` does. */
export function requirePermission(
  required: RequiredPermission,
  { permissions, wallet }: Caller,
  attributes: ResourceAttributes,
): void {
  if (isPermitted(permissions, required, attributes)) return;
  const permission = `permission ${required.resource}:${required.action}`;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
    required: [...(wallet === null ? sufficientSession(required) : []), permission].join(', or '),
    ...(couldBePermitted(permissions, required) && { heldOnlyWhere: conditionsOf(permissions, required) }),
  });
}

/** The session that would suffice for a key alone. */
function sufficientSession(required: RequiredPermission): string[] {
  const permissions = permissionsOf(walletRoles);
  if (isPermitted(permissions, required)) return ['session of a wallet'];
  return couldBePermitted(permissions, required) ? ['session of the wallet that it belongs to'] : [];
}
