import { z } from 'zod';
import { publish } from '../../events/publish.ts';
import { ServiceError } from '../../platform/errors.ts';
import {
  Enveloped,
  enveloped,
  EnvelopedPage,
  envelopedPage,
  pageOf,
  pageQuery,
  paginationOf,
} from '../../platform/http/envelope.ts';
import {
  Timestamp,
  VersionText,
  CaseInsensitive,
  AddressText,
  parsed,
  Percentage,
  StartText,
  visibleText,
} from '../../platform/http/fields.ts';
import { ok, noContent } from '../../platform/http/route.ts';
import { isoText, instant } from '../../platform/units/time.ts';
import { percentageNumber, parsePercentage } from '../../platform/units/money.ts';
import {
  enabledFeatureFlags,
  listFeatureFlags,
  countOtherFlags,
  deleteFeatureFlag,
  putFeatureFlag,
} from '../queries.ts';
import { route } from './versions.ts';
import { type FeatureFlag, isFeatureOn, apiVersion } from '../rules.ts';

const flagTexts = {
  enabled: 'Whether the feature can be on. `false` switches it off for everyone.',
  version: 'First version of the API with the feature.',
  rolloutPercentage:
    'Percentage of the clients that have the feature. A higher percentage takes the feature from nobody.',
  clientIds: 'API key IDs or wallet addresses. Only these clients can have the feature. Every client if empty.',
  environments: 'Names of deployments that can have the feature. Every deployment if empty.',
  startDate: 'The feature is off before this time',
};

const FeatureFlagResource = z
  .object({
    name: z.string(),
    enabled: z.boolean().describe(flagTexts.enabled),
    version: VersionText.describe(flagTexts.version),
    rolloutPercentage: z.number().describe(flagTexts.rolloutPercentage),
    conditions: z.object({
      clientIds: z.array(z.string()).describe(flagTexts.clientIds),
      environments: z.array(z.string()).describe(flagTexts.environments),
      startDate: Timestamp.nullable().describe(`${flagTexts.startDate}. \`null\` if it has no start.`),
    }),
  })
  .meta({
    id: 'FeatureFlag',
    examples: [
      {
        name: 'expand-vaults',
        enabled: true,
        version: 'v1.0.0',
        rolloutPercentage: 25,
        conditions: { clientIds: [], environments: ['production'], startDate: '2026-12-01T00:00:00.000Z' },
      },
    ],
  });

function presentFeatureFlag(flag: FeatureFlag): z.input<typeof FeatureFlagResource> {
  const { name, enabled, version, rollout, clientIds, environments, startsAt } = flag;
  const startDate = startsAt === null ? null : isoText(startsAt);
  return {
    name,
    enabled,
    version,
    rolloutPercentage: percentageNumber(rollout),
    conditions: { clientIds: [...clientIds], environments: [...environments], startDate },
  };
}

const listFeatureFlagsRoute = route({
  method: 'get',
  path: '/feature-flags',
  operationId: 'listFeatureFlags',
  summary: 'List feature flags',
  description:
    'Lists the flags with their conditions, for callers who manage them. To list your own features, call `listFeatures`.',
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

const listFeaturesRoute = route({
  method: 'get',
  path: '/features',
  operationId: 'listFeatures',
  summary: 'List own features',
  description: 'Lists the features that are on for the wallet of the session. Without a session: for the API key.',
  success: 'The names of the features, in alphabetical order',
  permission: { unrestricted: 'A caller reads only its own features' },
  responses: { 200: Enveloped(z.object({ features: z.array(z.string()).describe('Names of feature flags.') })) },
  errors: [],
  async handle({ caller: { wallet, apiKeyId } }, { db, environment, wallClock }) {
    const now = wallClock.now();
    const clientIds = wallet === null ? ([apiKeyId] as const) : ([wallet, apiKeyId] as const);
    const flags = await enabledFeatureFlags(db);
    const on = flags.filter((flag) => isFeatureOn(flag, { clientIds, environment, version: apiVersion, now }));
    return ok(enveloped({ features: on.map(({ name }) => name) }, now));
  },
});

/** `GET /features` reads all flags for each of its callers. */
const MAX_FLAGS = 200;

const FlagName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,63}$/, 'A name has only lower-case letters, digits and hyphens, at most 64.')
  .describe('Name of the flag: lower-case letters, digits and hyphens, at most 64.');
const FlagParams = z.strictObject({ name: FlagName });

const PutFeatureFlag = z
  .strictObject({
    enabled: z.boolean().describe(flagTexts.enabled),
    version: VersionText.describe(flagTexts.version),
    rolloutPercentage: Percentage(0, 100).describe(flagTexts.rolloutPercentage),
    conditions: z
      .strictObject({
        clientIds: z.array(AddressText).max(1000).describe(flagTexts.clientIds).default([]),
        environments: z.array(visibleText(64, 1)).max(20).describe(flagTexts.environments).default([]),
        startDate: StartText.describe(flagTexts.startDate).optional(),
      })
      .default({ clientIds: [], environments: [] }),
  })
  .meta({ id: 'PutFeatureFlag' });

const putFeatureFlagRoute = route({
  method: 'put',
  path: '/feature-flags/:name',
  operationId: 'putFeatureFlag',
  summary: 'Create or replace a feature flag',
  description:
    'A flag says who has a feature of a client or of this API. `listFeatures` returns the features that are on for a caller.',
  success: 'The flag',
  examples: {
    quarter: { enabled: true, version: 'v1.0.0', rolloutPercentage: 25 },
    forTesters: {
      enabled: true,
      version: 'v1.0.0',
      rolloutPercentage: 100,
      conditions: { environments: ['staging'], startDate: '2026-12-01T00:00:00Z' },
    },
  },
  permission: { resource: 'feature_flag', action: 'UPDATE' },
  params: FlagParams,
  body: PutFeatureFlag,
  responses: { 200: Enveloped(FeatureFlagResource) },
  errors: ['TOO_MANY_FEATURE_FLAGS'],
  async handle({ params: { name }, body, caller, idempotency }, { unitOfWork }) {
    const flag = flagOf(name, body);
    return unitOfWork((context) =>
      idempotency.once(context.tx, async () => {
        if ((await countOtherFlags(context.tx, name)) >= MAX_FLAGS) throw new ServiceError('TOO_MANY_FEATURE_FLAGS');
        await putFeatureFlag(context, flag);
        const shown = presentFeatureFlag(flag);
        const resource = { type: 'feature_flag', id: name };
        const metadata = { ...shown, conditions: { ...shown.conditions, clientIds: flag.clientIds.length } };
        await publish(context, { audit: { action: 'FEATURE_FLAG_CHANGED', caller, resource, metadata } });
        return ok(enveloped(shown, context.now));
      }),
    );
  },
});

const deleteFeatureFlagRoute = route({
  method: 'delete',
  path: '/feature-flags/:name',
  operationId: 'deleteFeatureFlag',
  summary: 'Delete a feature flag',
  description: 'Switches the feature off for everyone.',
  success: 'The flag is deleted',
  permission: { resource: 'feature_flag', action: 'DELETE' },
  params: FlagParams,
  responses: { 204: null },
  errors: ['FEATURE_FLAG_NOT_FOUND'],
  async handle({ params: { name }, caller, idempotency }, { unitOfWork }) {
    return unitOfWork((context) =>
      idempotency.once(context.tx, async () => {
        if (!(await deleteFeatureFlag(context.tx, name))) throw new ServiceError('FEATURE_FLAG_NOT_FOUND');
        const resource = { type: 'feature_flag', id: name };
        await publish(context, { audit: { action: 'FEATURE_FLAG_DELETED', caller, resource, metadata: {} } });
        return noContent();
      }),
    );
  },
});

function flagOf(name: string, body: z.output<typeof PutFeatureFlag>): FeatureFlag {
  const { enabled, version, rolloutPercentage, conditions } = body;
  const { clientIds, environments, startDate } = conditions;
  return {
    name,
    enabled,
    version,
    rollout: parsed(parsePercentage(rolloutPercentage)),
    clientIds,
    environments,
    startsAt: startDate === undefined ? null : instant(new Date(startDate)),
  };
}

export const featureFlagRoutes = [
  listFeaturesRoute,
  listFeatureFlagsRoute,
  putFeatureFlagRoute,
  deleteFeatureFlagRoute,
];
