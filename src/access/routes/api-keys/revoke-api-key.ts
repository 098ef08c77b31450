import { z } from 'zod';
import { endApiKey } from '../../issue-api-key.ts';
import { route } from '../../../api-context.ts';
import { noContent } from '../../../platform/http/route-response.ts';
import { runOnce } from '../../../platform/http/run-once.ts';
import { ApiKeyId } from './resource.ts';

export const revokeApiKeyRoute = route({
  method: 'delete',
  path: '/api-keys/:keyId',
  operationId: 'revokeApiKey',
  summary: 'Revoke an API key',
  description:
    'Every process refuses the key at once; one that cannot be told refuses it within five seconds. Only callers who have ' +
    'every role and permission of the key may do this. Keys that it made stay valid: list them by `createdBy`.',
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
