import { type Action, isPermitted, type Permission } from './permission.ts';
import { permissionsOf } from './roles.ts';

/** What a key or a wallet is given. */
export interface Grant {
  readonly roles: readonly string[];
  readonly permissions: readonly Permission[];
}

const actions: readonly Action[] = ['CREATE', 'READ', 'UPDATE', 'DELETE'];

/** Whether a holder of `held` may give this to another: nothing in it may reach beyond what they hold themselves. */
export function mayGrant(held: readonly Permission[], { roles, permissions }: Grant): boolean {
  return [...permissionsOf(roles), ...permissions].every((permission) => isHeld(held, permission));
}

/** Whether `held` permits whatever the permission does. A condition that is held must be in the permission as well. */
function isHeld(held: readonly Permission[], { resource, action, conditions }: Permission): boolean {
  const needed = action === '*' ? actions : [action];
  return needed.every((each) => isPermitted(held, { resource, action: each }, conditions));
}
