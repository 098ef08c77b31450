import { z } from 'zod';
import { isFeatureOn } from '../../rules/feature-flag.ts';
import { apiVersion } from '../../rules/releases.ts';
import { enabledFeatureFlags, listFeatureFlags } from '../../queries/feature-flags.ts';
import { Enveloped, enveloped, EnvelopedPage, envelopedPage } from '../../../platform/http/envelope.ts';
import { CaseInsensitive } from '../../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../../platform/http/paging.ts';
import { ok } from '../../../platform/http/route-response.ts';
import { route } from '../define-version-route.ts';
import { FeatureFlagResource, presentFeatureFlag } from './response.ts';

export const listFeatureFlagsRoute = route({
  method: 'get',
  path: '/feature-flags',
  operationId: 'listFeatureFlags',
  summary: 'List the feature flags with their conditions',
  description: 'For those who manage flags; other callers read `GET /features`.',
  success: 'A page of flags',
  permission: { resource: 'feature_flag', action: 'READ' },
  query: z.strictObject({
    ...pageQuery(['name', 'updatedAt']),
    enabled: CaseInsensitive(['true', 'false']).optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ flags: z.array(FeatureFlagResource) })) },
  errors: [],
  async handle({ query }, { db, wallClock }) {
    const enabled = query.enabled && query.enabled === 'true';
    const { flags, count } = await listFeatureFlags(db, { enabled }, pageOf(query, 'name:asc'));
    const data = { flags: flags.map(presentFeatureFlag) };
    return ok(envelopedPage(data, paginationOf(query, count), wallClock.now()));
  },
});

export const listFeaturesRoute = route({
  method: 'get',
  path: '/features',
  operationId: 'listFeatures',
  summary: 'List the features that are on for the caller',
  description:
    'The caller is the wallet of the session; without a session, the API key. Features that are off for the caller are not listed.',
  success: 'The names of the features, in alphabetical order',
  permission: { unrestricted: 'A caller reads only its own features' },
  responses: { 200: Enveloped(z.object({ features: z.array(z.string()).describe('Names of feature flags') })) },
  errors: [],
  async handle({ caller: { wallet, apiKeyId } }, { db, environment, wallClock }) {
    const now = wallClock.now();
    const clientIds = wallet === null ? ([apiKeyId] as const) : ([wallet, apiKeyId] as const);
    const flags = await enabledFeatureFlags(db);
    const on = flags.filter((flag) => isFeatureOn(flag, { clientIds, environment, version: apiVersion, now }));
    return ok(enveloped({ features: on.map(({ name }) => name) }, now));
  },
});
