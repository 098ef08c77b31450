import { z } from 'zod';
import { ServiceError } from '../../../platform/errors/errors.ts';
import { findApiKey, listApiKeys } from '../../queries/api-keys.ts';
import { route } from '../../../api-context.ts';
import { Enveloped, enveloped, EnvelopedPage, envelopedPage } from '../../../platform/http/envelope.ts';
import { pageOf, pageQuery, paginationOf } from '../../../platform/http/paging.ts';
import { ok } from '../../../platform/http/route-response.ts';
import { ApiKeyId, ApiKeyResource, presentApiKey } from './resource.ts';

export const listApiKeysRoute = route({
  method: 'get',
  path: '/api-keys',
  operationId: 'listApiKeys',
  summary: 'List API keys',
  description: 'Lists all keys, also those that have ended. The keys themselves and their hashes are never shown.',
  success: 'A page of keys',
  permission: { resource: 'apiKey', action: 'READ' },
  query: z.strictObject({
    ...pageQuery(['createdAt', 'name']),
    createdBy: z.string().max(200).describe('Only keys that this key or wallet made').optional(),
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

export const readApiKeyRoute = route({
  method: 'get',
  path: '/api-keys/:keyId',
  operationId: 'readApiKey',
  summary: 'Read an API key: what it may do, and when it was used',
  description: 'The key itself and its hash are never shown.',
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
