import { z } from 'zod';
import { issueApiKey } from '../../issue-api-key.ts';
import { fieldError } from '../../../platform/errors/errors.ts';
import { type Instant, instant } from '../../../platform/units/instant.ts';
import { findApiKey } from '../../queries/api-keys.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { route } from '../../../api-context.ts';
import { Enveloped, enveloped } from '../../../platform/http/envelope.ts';
import { StartText, visibleText } from '../../../platform/http/fields.ts';
import { created } from '../../../platform/http/route-response.ts';
import { IssuedApiKey, PermissionResource, presentApiKey, RoleEnum } from './resource.ts';

const CreateApiKey = z
  .strictObject({
    name: visibleText(100, 1),
    roles: z.array(RoleEnum).max(10),
    permissions: z.array(PermissionResource).max(50).default([]),
    environment: visibleText(32).describe('The environment of this service, which is also the default').optional(),
    expiresAt: StartText.describe(
      'Real time, not after the end of the key that makes it, which is also the default',
    ).optional(),
    rateLimit: z
      .int()
      .min(1)
      .max(1_000_000)
      .describe('Requests per window instead of the limit of its roles')
      .optional(),
  })
  .meta({ id: 'CreateApiKey' });

/** What a page shows of vaults that are not PRIVATE before anybody logs in. */
const visitorsRead = ['vault', 'asset', 'investment', 'stake', 'claim', 'proposal', 'vote'] as const;

export const createApiKeyRoute = route({
  method: 'post',
  path: '/api-keys',
  operationId: 'createApiKey',
  summary: 'Create an API key',
  description:
    'A key cannot have a role or a permission that its maker lacks, nor live longer than the key of its maker. The response has the key, which the service does not ' +
    'store: only a hash of it. So a repeated request makes another key, also with the same Idempotency-Key. The key of a frontend needs no role and no permission for wallets ' +
    'that are logged in; what visitors may read before that is among its permissions.',
  success: 'The key, for the only time',
  permission: { resource: 'apiKey', action: 'CREATE' },
  examples: {
    frontend: { name: 'Frontend of Harbour Lofts', roles: [], rateLimit: 10_000 },
    frontendForVisitors: {
      name: 'Frontend of Harbour Lofts',
      roles: [],
      permissions: visitorsRead.map((resource) => ({ resource, action: 'READ' as const })),
      rateLimit: 10_000,
    },
  },
  body: CreateApiKey,
  // A stored response would contain the key in clear text.
  idempotent: false,
  responses: { 201: Enveloped(IssuedApiKey) },
  errors: [],
  async handle({ body, caller }, { unitOfWork, authenticator, wallClock }) {
    const { name, roles, permissions, environment = authenticator.environment, rateLimit = null } = body;
    if (environment !== authenticator.environment)
      throw fieldError(
        'INVALID_REQUEST',
        'environment',
        `This service makes keys of ${authenticator.environment} only`,
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
export function futureInstant(text: string | undefined, now: Instant): Instant | undefined {
  if (text === undefined) return undefined;
  const at = instant(new Date(text));
  if (at <= now) throw fieldError('INVALID_REQUEST', 'expiresAt', 'Must be in the future');
  return at;
}

export async function presentIssued(tx: Transaction, id: string, key: string, now: Instant) {
  const stored = await findApiKey(tx, id);
  if (!stored) throw new Error(`key ${id} was not stored`);
  return { ...presentApiKey(stored, now), key };
}

function withoutAbsent({ conditions, ...permission }: z.output<typeof PermissionResource>) {
  return { ...permission, ...(conditions && { conditions }) };
}
