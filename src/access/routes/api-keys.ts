import { z } from 'zod';
import { isLive, issueApiKey, endApiKey, rotateApiKey } from '../api-keys.ts';
import { type ApiKeyRow, findApiKey, listApiKeys } from '../queries/api-keys.ts';
import { permissionResources, roles } from '../rules.ts';
import { route } from '../../api-context.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { fieldError, ServiceError } from '../../platform/errors.ts';
import { enumSchema, Timestamp, visibleText, StartText } from '../../platform/http/fields.ts';
import {
  Enveloped,
  enveloped,
  EnvelopedPage,
  envelopedPage,
  pageOf,
  pageQuery,
  paginationOf,
} from '../../platform/http/envelope.ts';
import { created, ok, noContent } from '../../platform/http/route.ts';
import { runOnce } from '../../platform/http/run-once.ts';
import { type Instant, instant, isoText } from '../../platform/units/time.ts';

export const RoleEnum = enumSchema('Role', roles as [string, ...string[]], {
  ADMIN: 'every action on every resource',
  VAULT_CREATOR: 'creates and reads vaults',
  VOTER: 'reads proposals and ACTIVE vaults, and votes',
  PARTICIPANT: 'whatever every wallet session may do',
});

/** A permission in addition to those of the roles. */
const PermissionResource = z
  .strictObject({
    resource: z
      .enum([...permissionResources, '*'])
      .describe(
        'Resource name as in `x-permission` of an operation. `wallet` means acting for every wallet, and `*` means every resource.',
      ),
    action: z.enum(['CREATE', 'READ', 'UPDATE', 'DELETE', '*']).describe('`*` means every action.'),
    conditions: z
      .record(visibleText(40), z.union([visibleText(200), z.number(), z.boolean()]))
      .describe('Fields of the resource that must have these values, such as `{"status": "ACTIVE"}` for a vault.')
      .optional(),
  })
  .meta({ id: 'Permission' });

const ApiKeyId = z.string().regex(/^[0-9a-f]{32}$/, 'A key ID has 32 hex digits.');

const statuses = ['ACTIVE', 'EXPIRED', 'REVOKED'] as const;

const ApiKeyResource = z
  .object({
    id: ApiKeyId,
    name: z.string(),
    environment: z.string().describe('Environment of the key. Services of other environments reject it.'),
    status: enumSchema('ApiKeyStatus', statuses, {
      ACTIVE: 'usable',
      EXPIRED: 'past its `expiresAt`',
      REVOKED: 'revoked',
    }),
    roles: z.array(RoleEnum),
    permissions: z.array(PermissionResource).describe('Permissions in addition to those of the roles.'),
    rateLimit: z.int().nullable().describe('Requests per window. `null`: the limit of its roles.'),
    createdBy: z.string().describe('API key or wallet that created it. `bootstrap`: a key from the configuration.'),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.nullable().describe('Last use, updated at most once a minute. `null` if it was never used.'),
    expiresAt: Timestamp.nullable().describe('Expiry. `null` if it does not expire.'),
    revokedAt: Timestamp.nullable().describe('Time at which it was revoked, otherwise `null`.'),
    replaces: ApiKeyId.nullable().describe('Key that this one replaced by a rotation, otherwise `null`.'),
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
const IssuedApiKey = ApiKeyResource.extend({
  key: z.string().describe('The key, for `X-API-Key`. Returned only in this response.'),
}).meta({ id: 'IssuedApiKey', examples: [] });

function presentApiKey(key: ApiKeyRow, now: Instant): z.input<typeof ApiKeyResource> {
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

const CreateApiKey = z
  .strictObject({
    name: visibleText(100, 1),
    roles: z.array(RoleEnum).max(10),
    permissions: z.array(PermissionResource).max(50).default([]),
    environment: visibleText(32).describe('Must be the environment of this service, which is the default.').optional(),
    expiresAt: StartText.describe(
      'Expiry in real time. Default and latest value: the expiry of the key that creates it.',
    ).optional(),
    rateLimit: z
      .int()
      .min(1)
      .max(1_000_000)
      .describe('Requests per window. Default: the limit of its roles.')
      .optional(),
  })
  .meta({ id: 'CreateApiKey' });

/** What a page shows of vaults that are not PRIVATE before anybody logs in. */
const clientsRead = ['vault', 'asset', 'investment', 'stake', 'claim', 'proposal', 'vote'] as const;

export const createApiKeyRoute = route({
  method: 'post',
  path: '/api-keys',
  operationId: 'createApiKey',
  summary: 'Create an API key',
  description:
    'Returns the key, only in this response. The service stores a hash of it. Every request creates another key, ' +
    'even with the same `Idempotency-Key`.\n\n' +
    'You can give a key only roles and permissions that your own key has, and no later expiry.\n\n' +
    'The key of a frontend needs no permissions for wallets that are logged in. For visitors without a session, ' +
    'add the read permissions that they need.',
  success: 'The new key. It is not shown again.',
  permission: { resource: 'apiKey', action: 'CREATE' },
  examples: {
    frontend: { name: 'Frontend of Harbour Lofts', roles: [], rateLimit: 10_000 },
    frontendForVisitors: {
      name: 'Frontend of Harbour Lofts',
      roles: [],
      permissions: clientsRead.map((resource) => ({ resource, action: 'READ' as const })),
      rateLimit: 10_000,
    },
  },
  body: CreateApiKey,
  // A stored response would contain the key in clear text.
  kind: 'unrecorded change',
  responses: { 201: Enveloped(IssuedApiKey) },
  errors: [],
  async handle({ body, caller }, { unitOfWork, authenticator, wallClock }) {
    const { name, roles, permissions, environment = authenticator.environment, rateLimit = null } = body;
    if (environment !== authenticator.environment)
      throw fieldError(
        'INVALID_REQUEST',
        'environment',
        `This service creates keys for the environment ${authenticator.environment} only.`,
      );
    const now = wallClock.now();
    const expiresAt = futureInstant(body.expiresAt, now);
    const params = { name, roles, permissions: permissions.map(withoutAbsent), environment, rateLimit, expiresAt };
    const data = await unitOfWork(async (context) => {
      const { id, text } = await issueApiKey(context, params, { caller, now });
      return presentIssued(context.tx, id, text, now);
    });
    return created(enveloped(data, now));
  },
});

/** The instant of a request's `expiresAt`. Throws INVALID_REQUEST when it has passed. */
function futureInstant(text: string | undefined, now: Instant): Instant | undefined {
  if (text === undefined) return undefined;
  const at = instant(new Date(text));
  if (at <= now) throw fieldError('INVALID_REQUEST', 'expiresAt', 'Must be in the future.');
  return at;
}

async function presentIssued(tx: Transaction, id: string, key: string, now: Instant) {
  const stored = await findApiKey(tx, id);
  if (!stored) throw new Error(`key ${id} was not stored`);
  return { ...presentApiKey(stored, now), key };
}

function withoutAbsent({ conditions, ...permission }: z.output<typeof PermissionResource>) {
  return { ...permission, ...(conditions && { conditions }) };
}

const listApiKeysRoute = route({
  method: 'get',
  path: '/api-keys',
  operationId: 'listApiKeys',
  summary: 'List API keys',
  description: 'Includes keys that have ended. Never shows the keys themselves or their hashes.',
  success: 'A page of keys',
  permission: { resource: 'apiKey', action: 'READ' },
  query: z.strictObject({
    ...pageQuery(['createdAt', 'name']),
    createdBy: z.string().max(200).describe('Only keys that this API key (ID) or wallet (address) created.').optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ apiKeys: z.array(ApiKeyResource) })) },
  errors: [],
  async handle({ query }, { db, wallClock }) {
    const now = wallClock.now();
    const { keys, count } = await listApiKeys(db, {
      createdBy: query.createdBy,
      page: pageOf(query, 'createdAt:desc'),
    });
    const data = { apiKeys: keys.map((key) => presentApiKey(key, now)) };
    return ok(envelopedPage(data, paginationOf(query, count), now));
  },
});

const readApiKeyRoute = route({
  method: 'get',
  path: '/api-keys/:keyId',
  operationId: 'readApiKey',
  summary: 'Get an API key',
  description: 'Returns its permissions, status and last use. Never shows the key itself or its hash.',
  permission: { resource: 'apiKey', action: 'READ' },
  params: z.strictObject({ keyId: ApiKeyId }),
  responses: { 200: Enveloped(ApiKeyResource) },
  errors: ['API_KEY_NOT_FOUND'],
  async handle({ params: { keyId } }, { db, wallClock }) {
    const key = await findApiKey(db, keyId);
    if (!key) throw new ServiceError('API_KEY_NOT_FOUND');
    const now = wallClock.now();
    return ok(enveloped(presentApiKey(key, now), now));
  },
});

const revokeApiKeyRoute = route({
  method: 'delete',
  path: '/api-keys/:keyId',
  operationId: 'revokeApiKey',
  summary: 'Revoke an API key',
  description:
    'Ends the key at once. A process that misses the notification accepts it for at most five more seconds.\n\n' +
    'You need every role and permission of the key. Keys that it created stay valid. To find them, call ' +
    '`listApiKeys` with `createdBy`.',
  success: 'The key is revoked',
  permission: { resource: 'apiKey', action: 'DELETE' },
  params: z.strictObject({ keyId: ApiKeyId }),
  responses: { 204: null },
  errors: ['API_KEY_NOT_FOUND', 'API_KEY_ENDED'],
  async handle({ params: { keyId: id }, caller, idempotency }, context) {
    const { authenticator, wallClock } = context;
    const response = await runOnce(context, idempotency, async (transaction) => {
      await endApiKey(transaction, id, { caller, now: wallClock.now() });
      return noContent();
    });
    authenticator.forget({ kind: 'key', id });
    return response;
  },
});

const DAY_SECONDS = 24 * 60 * 60;

const RotateApiKey = z
  .strictObject({
    overlapSeconds: z
      .int()
      .min(0)
      .max(30 * DAY_SECONDS)
      .describe('Seconds that the old key stays valid. 0 to 30 days (0 ends it at once), default one day.')
      .default(DAY_SECONDS),
    expiresAt: StartText.describe(
      'Expiry of the new key, in real time. Default: the expiry of the old key. Not later than the expiry of the key that rotates it.',
    ).optional(),
  })
  .meta({ id: 'RotateApiKey' });

const rotateApiKeyRoute = route({
  method: 'post',
  path: '/api-keys/:keyId/rotate',
  operationId: 'rotateApiKey',
  summary: 'Rotate an API key',
  description:
    'Returns a new key with the same roles and permissions. Both keys are valid during the overlap, so that your ' +
    'clients can switch without an interruption.\n\n' +
    'You need every role and permission of the key. You can rotate a key once. Next time, rotate the new one.',
  success: 'The new key. It is not shown again.',
  permission: { resource: 'apiKey', action: 'UPDATE' },
  params: z.strictObject({ keyId: ApiKeyId }),
  examples: { withinAnHour: { overlapSeconds: 3600 } },
  body: RotateApiKey,
  // A stored response would contain the key in clear text.
  kind: 'unrecorded change',
  responses: { 201: Enveloped(IssuedApiKey) },
  errors: ['API_KEY_NOT_FOUND', 'API_KEY_ENDED', 'API_KEY_ALREADY_ROTATED'],
  async handle({ params: { keyId }, body, caller }, { unitOfWork, authenticator, wallClock }) {
    const now = wallClock.now();
    const rotation = { id: keyId, overlapSeconds: body.overlapSeconds, expiresAt: futureInstant(body.expiresAt, now) };
    const data = await unitOfWork(async (context) => {
      const { id, text } = await rotateApiKey(context, rotation, { caller, now });
      return presentIssued(context.tx, id, text, now);
    });
    authenticator.forget({ kind: 'key', id: keyId });
    return created(enveloped(data, now));
  },
});

/** The operations on API keys, in the order of the OpenAPI document. */
export const apiKeyRoutes = [
  createApiKeyRoute,
  listApiKeysRoute,
  readApiKeyRoute,
  rotateApiKeyRoute,
  revokeApiKeyRoute,
];
