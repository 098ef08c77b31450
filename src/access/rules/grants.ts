import { ServiceError } from '../../platform/errors/errors.ts';
import { type Instant, isoText } from '../../platform/units/instant.ts';
import { type Action, isPermitted, type Permission } from './permission.ts';
import { type Grant, permissionsOf } from './roles.ts';

const actions: readonly Action[] = ['CREATE', 'READ', 'UPDATE', 'DELETE'];

/** Whether a holder of `held` may give this to another: nothing in it may reach beyond what they hold themselves. */
export function mayGrant(held: readonly Permission[], { roles, permissions }: Grant): boolean {
  return [...permissionsOf(roles), ...permissions].every((permission) => isHeld(held, permission));
}

/**
 * When a new key ends: as requested, else as `inherited`, and never after the key of its maker; null is no end. Throws
 * INSUFFICIENT_PERMISSIONS when a later end is requested.
 */
export function endOfGrant(
  makerEnd: Instant | null,
  requested: Instant | undefined,
  inherited: Instant | null,
): Instant | null {
  const end = requested ?? inherited;
  if (makerEnd === null || (end !== null && end <= makerEnd)) return end;
  if (requested === undefined) return makerEnd;
  const message = `The key that makes it ends at ${isoText(makerEnd)}`;
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
