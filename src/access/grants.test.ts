import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { instant } from '../platform/units/time.ts';
import { grantExpiry, mayGrant, type Action, isPermitted, type Permission, permissionsOf, roles } from './rules.ts';

const grant = (...permissions: Permission[]) => ({ roles: [], permissions });

test('a role is given by those who hold all of its permissions', () => {
  const givers = (given: string) =>
    roles.filter((role) => mayGrant(permissionsOf([role]), { roles: [given], permissions: [] }));
  expect(Object.fromEntries(roles.map((role) => [role, givers(role)]))).toEqual({
    ADMIN: ['ADMIN'],
    VAULT_CREATOR: ['ADMIN', 'VAULT_CREATOR'],
    VOTER: ['ADMIN', 'VOTER', 'PARTICIPANT'],
    PARTICIPANT: ['ADMIN', 'PARTICIPANT'],
  });
});

test('a condition may be added to what is held, but not left out', () => {
  const held: Permission[] = [{ resource: 'vault', action: 'READ', conditions: { status: 'ACTIVE' } }];
  expect(mayGrant(held, grant({ resource: 'vault', action: 'READ' }))).toBe(false);
  expect(mayGrant(held, grant({ resource: 'vault', action: 'READ', conditions: { status: 'LOCKED' } }))).toBe(false);
  const stricter = { resource: 'vault', action: 'READ' as const, conditions: { status: 'ACTIVE', type: 'PUBLIC' } };
  expect(mayGrant(held, grant(stricter))).toBe(true);
  expect(mayGrant(held, grant())).toBe(true);
});

test('a key ends with its maker at the latest', () => {
  const [early, end, late] = [instant(1_000), instant(2_000), instant(3_000)];
  const ends = [early, end, late, undefined].map((requested) => grantExpiry(null, requested, null));
  expect(ends).toEqual([early, end, late, null]);
  expect([early, end, undefined].map((requested) => grantExpiry(end, requested, null))).toEqual([early, end, end]);
  expect([early, end, late].map((inherited) => grantExpiry(end, undefined, inherited))).toEqual([early, end, end]);
  expect(() => grantExpiry(end, late, early)).toThrow(expect.objectContaining({ code: 'INSUFFICIENT_PERMISSIONS' }));
});

test('every resource and every action are more than any list of them', () => {
  const each = (['CREATE', 'READ', 'UPDATE', 'DELETE'] as const).map((action) => ({ resource: 'vault', action }));
  expect(mayGrant(each, grant({ resource: 'vault', action: '*' }))).toBe(true);
  expect(mayGrant(each.slice(1), grant({ resource: 'vault', action: '*' }))).toBe(false);
  expect(mayGrant(each, grant({ resource: '*', action: 'READ' }))).toBe(false);
  expect(mayGrant([{ resource: '*', action: 'READ' }], grant({ resource: '*', action: 'READ' }))).toBe(true);
});

const action = fc.constantFrom<Action>('CREATE', 'READ', 'UPDATE', 'DELETE');
const resource = fc.constantFrom('vault', 'asset');
const conditions = fc.record({ own: fc.boolean(), status: fc.constantFrom('ACTIVE', 'LOCKED') }, { requiredKeys: [] });
const permission: fc.Arbitrary<Permission> = fc.record({
  resource: fc.oneof(resource, fc.constant('*')),
  action: fc.oneof(action, fc.constant('*' as const)),
  conditions,
});

test('whoever was given something may do nothing that its giver may not', () => {
  const attributes = fc.record({ own: fc.boolean(), status: fc.constantFrom('ACTIVE', 'LOCKED') });
  fc.assert(
    fc.property(
      fc.array(permission),
      fc.array(permission),
      resource,
      action,
      attributes,
      (held, given, on, does, at) => {
        fc.pre(mayGrant(held, grant(...given)));
        const required = { resource: on, action: does };
        expect(!isPermitted(given, required, at) || isPermitted(held, required, at)).toBe(true);
      },
    ),
  );
});
