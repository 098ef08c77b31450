import { z } from 'zod';
import { isLive } from '../../check-api-key.ts';
import { permissionResources } from '../../rules/permission.ts';
import { roles } from '../../rules/roles.ts';
import { type Instant, instant, isoText } from '../../../platform/units/instant.ts';
import type { ApiKeyRow } from '../../queries/api-keys.ts';
import { enumSchema } from '../../../platform/http/enums.ts';
import { Timestamp, visibleText } from '../../../platform/http/fields.ts';

export const RoleEnum = enumSchema('Role', roles as [string, ...string[]], {
  ADMIN: 'every action on every resource',
  VAULT_CREATOR: 'creates and reads vaults',
  VOTER: 'reads proposals and ACTIVE vaults, and votes',
  PARTICIPANT: 'what every wallet session may do',
});

/** A permission beside those of the roles. */
export const PermissionResource = z
  .strictObject({
    resource: z
      .enum([...permissionResources, '*'])
      .describe('As in `x-permission` of an operation; `wallet` to act for every wallet; `*` is every resource'),
    action: z.enum(['CREATE', 'READ', 'UPDATE', 'DELETE', '*']).describe('`*` is every action'),
    conditions: z
      .record(visibleText(40), z.union([visibleText(200), z.number(), z.boolean()]))
      .describe('Fields of the resource that must have these values, such as `{"status": "ACTIVE"}` for a vault')
      .optional(),
  })
  .meta({ id: 'Permission' });

export const ApiKeyId = z.string().regex(/^[0-9a-f]{32}$/, 'The id of a key is 32 hex digits');

const statuses = ['ACTIVE', 'EXPIRED', 'REVOKED'] as const;

export const ApiKeyResource = z
  .object({
    id: ApiKeyId,
    name: z.string(),
    environment: z.string().describe('The key is refused by services of another environment'),
    status: enumSchema('ApiKeyStatus', statuses, {
      ACTIVE: 'it may be used',
      EXPIRED: '`expiresAt` has passed',
      REVOKED: 'it was revoked',
    }),
    roles: z.array(RoleEnum),
    permissions: z.array(PermissionResource).describe('Permissions beside those of the roles'),
    rateLimit: z.int().nullable().describe('Requests per window; null for the limit of its roles'),
    createdBy: z.string().describe('API key or wallet that made it; `bootstrap` for a key of the configuration'),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.nullable().describe('Updated at most once a minute; null if it was never used'),
    expiresAt: Timestamp.nullable().describe('The key is refused from then on; null if it does not expire'),
    revokedAt: Timestamp.nullable().describe('When it was revoked; null if it was not'),
    replaces: ApiKeyId.nullable().describe('The key that this one replaced by a rotation; null for a new one'),
  })
  .meta({
    id: 'ApiKey',
    examples: [
      {
        id: '01a1ffab81a071d7bc2f7ad9c92e5fb2',
        name: 'Frontend of Harbour Lofts',
        environment: 'production',
        status: 'ACTIVE',
        roles: ['VAULT_CREATOR'],
        permissions: [{ resource: 'vault', action: 'READ', conditions: { status: 'ACTIVE' } }],
        rateLimit: null,
        createdBy: '01a1ffab801271d7bc2f7ad9c92e5fb2',
        createdAt: '2026-11-21T19:53:12.351Z',
        lastUsedAt: '2026-11-21T19:54:18.786Z',
        expiresAt: '2027-11-21T00:00:00.000Z',
        revokedAt: null,
        replaces: null,
      },
    ],
  });

/** A key in the only response that has its text. */
export const IssuedApiKey = ApiKeyResource.extend({
  key: z.string().describe('For `X-API-Key`; returned only in this response'),
}).meta({ id: 'IssuedApiKey', examples: [] });

export function presentApiKey(key: ApiKeyRow, now: Instant): z.input<typeof ApiKeyResource> {
  const timeOf = (time: Date | null) => time && isoText(instant(time));
  const { id, name, environment, roles: own, permissions, replaces } = key;
  const ended = key.revoked_at === null ? 'EXPIRED' : 'REVOKED';
  return {
    id,
    name,
    environment,
    status: isLive(key, new Date(now)) ? 'ACTIVE' : ended,
    roles: own,
    permissions: permissions as z.input<typeof PermissionResource>[],
    rateLimit: key.rate_limit,
    createdBy: key.created_by,
    createdAt: isoText(instant(key.created_at)),
    lastUsedAt: timeOf(key.last_used_at),
    expiresAt: timeOf(key.expires_at),
    revokedAt: timeOf(key.revoked_at),
    replaces,
  };
}
