import { createApiKeyRoute } from './create-api-key.ts';
import { listApiKeysRoute, readApiKeyRoute } from './read-api-keys.ts';
import { revokeApiKeyRoute } from './revoke-api-key.ts';
import { rotateApiKeyRoute } from './rotate-api-key.ts';

/** The operations on API keys, in the order of the OpenAPI document. */
export const apiKeyRoutes = [
  createApiKeyRoute,
  listApiKeysRoute,
  readApiKeyRoute,
  rotateApiKeyRoute,
  revokeApiKeyRoute,
];
