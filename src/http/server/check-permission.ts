import type { Caller } from '../../domain/identity/caller.ts';
import { ServiceError } from '../../domain/errors.ts';
import {
  conditionsOf,
  couldBePermitted,
  isPermitted,
  permissionsOf,
  type RequiredPermission,
  type ResourceAttributes,
  walletRoles,
} from '../../domain/identity/permission.ts';

/** The permission that a route requires, and how its conditions are checked (a VOTER reads ACTIVE vaults only). */
export interface RoutePermission<Params, Context> extends RequiredPermission {
  /**
   * Loads the attributes of the resource that conditions refer to. `'per row'`: the handler filters the rows by
   * `isPermitted` itself. Absent: only unconditional permissions suffice.
   */
  readonly attributes?: 'per row' | ((params: Params, context: Context, caller: Caller) => Promise<ResourceAttributes>);
}

/**
 * Throws INSUFFICIENT_PERMISSIONS unless the caller has the permission. The details describe what the caller holds and
 * never the resource, so that a hidden resource and a missing one get the same response (design D8).
 */
export async function checkPermission<Params, Context>(
  required: RoutePermission<Params, Context>,
  caller: Caller,
  params: () => Params,
  context: Context,
): Promise<void> {
  const { permissions } = caller;
  if (isPermitted(permissions, required)) return;
  const isConditional = couldBePermitted(permissions, required);
  if (isConditional && required.attributes === 'per row') return;
  if (isConditional && typeof required.attributes === 'function') {
    if (isPermitted(permissions, required, await required.attributes(params(), context, caller))) return;
  }
  const permission = `permission ${required.resource}:${required.action}`;
  const sessionSuffices = caller.wallet === null && couldBePermitted(permissionsOf(walletRoles), required);
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
    required: sessionSuffices ? `session of a wallet, or ${permission}` : permission,
    ...(isConditional && { heldOnlyWhere: conditionsOf(permissions, required) }),
  });
}
