import { expect, test } from '@jest/globals';
import { type Action, isPermitted, couldBePermitted, effectiveGrants, permissionsOf, walletRoles } from './rules.ts';

const resources = ['vault', 'asset', 'proposal', 'vote', 'stake', 'wallet'];
const actions: Action[] = ['CREATE', 'READ', 'UPDATE', 'DELETE'];
const everything = resources.flatMap((resource) => actions.map((action) => ({ resource, action })));
const allowed = (roles: string[], attributes?: Record<string, unknown>) =>
  everything
    .filter((required) => isPermitted(permissionsOf(roles), required, attributes))
    .map(({ resource, action }) => `${resource}:${action}`);

test('each role may do what the specification lists and nothing else', () => {
  expect(allowed(['ADMIN'])).toHaveLength(everything.length);
  expect(allowed(['VAULT_CREATOR'])).toEqual(['vault:CREATE', 'vault:READ']);
  expect(allowed(['VOTER'])).toEqual(['proposal:READ', 'vote:CREATE']);
  expect(allowed(['VOTER'], { status: 'ACTIVE' })).toEqual(['vault:READ', 'proposal:READ', 'vote:CREATE']);
  expect(allowed(['VOTER'], { status: 'LOCKED' })).toEqual(['proposal:READ', 'vote:CREATE']);
});

test('a participant may read, take part, and change only their own resources', () => {
  const joined = ['asset', 'investment', 'stake', 'proposal', 'endorsement', 'vote', 'execution'];
  const may = (own: boolean) =>
    [...joined, 'vault', 'wallet', 'session', 'anything'].map((resource) => {
      const permitted = actions.filter((action) =>
        isPermitted(permissionsOf(['PARTICIPANT']), { resource, action }, { own }),
      );
      return [resource, permitted] as const;
    });
  const others = [['vault', ['READ']], ['wallet', []], ['session', []], ['anything', []]]; // prettier-ignore
  expect(may(false)).toEqual([...joined.map((resource) => [resource, ['CREATE', 'READ']]), ...others]);
  expect(may(true)).toEqual([
    ...joined.map((resource) => [resource, actions]),
    ['vault', ['READ', 'UPDATE']],
    ...others.slice(1),
  ]);
});

test('a caller has the permissions of its key and of its wallet together', () => {
  const own = [{ resource: 'wallet', action: 'READ' as const }];
  const key = { roles: ['VOTER'], permissions: own };
  const alone = effectiveGrants(key, null);
  expect(alone).toEqual({ roles: ['VOTER'], permissions: [...permissionsOf(['VOTER']), ...own] });
  const both = effectiveGrants(key, { roles: walletRoles });
  expect(both.roles).toEqual(['VOTER', 'PARTICIPANT']);
  expect(both.permissions).toEqual(expect.arrayContaining([...alone.permissions, ...permissionsOf(walletRoles)]));
  expect(effectiveGrants({ roles: ['PARTICIPANT'], permissions: [] }, { roles: walletRoles }).roles).toEqual([
    'PARTICIPANT',
  ]);
});

test.each(['', 'admin', 'constructor', '__proto__', 'toString'])(
  'the role %j is unknown and grants nothing',
  (role) => {
    expect(allowed([role])).toEqual([]);
  },
);

test('permissions of several roles add up', () => {
  expect(allowed(['VOTER', 'VAULT_CREATOR'])).toEqual(['vault:CREATE', 'vault:READ', 'proposal:READ', 'vote:CREATE']);
});

test('every condition must hold, each for its own attribute', () => {
  const conditions = { status: 'ACTIVE', type: 'PUBLIC' };
  const permissions = [{ resource: 'vault', action: '*' as const, conditions }];
  const required = { resource: 'vault', action: 'READ' as const };
  expect(isPermitted(permissions, required, { ...conditions, more: 1 })).toBe(true);
  expect(isPermitted(permissions, required, { status: 'ACTIVE' })).toBe(false);
  expect(isPermitted(permissions, required)).toBe(false);
  expect(isPermitted(permissions, required, Object.create(conditions) as Record<string, unknown>)).toBe(false);
  expect(couldBePermitted(permissions, required)).toBe(true);
  expect(couldBePermitted(permissions, { resource: 'asset', action: 'READ' })).toBe(false);
});
