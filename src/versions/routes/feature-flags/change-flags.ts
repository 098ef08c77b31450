import { z } from 'zod';
import { ServiceError } from '../../../platform/errors/errors.ts';
import { instant } from '../../../platform/units/instant.ts';
import { parsePercentage } from '../../../platform/units/percentage.ts';
import type { FeatureFlag } from '../../rules/feature-flag.ts';
import { publish } from '../../../events/publish.ts';
import { countOtherFlags, deleteFeatureFlag, putFeatureFlag } from '../../queries/feature-flags.ts';
import { Enveloped, enveloped } from '../../../platform/http/envelope.ts';
import { AddressText, parsed, Percentage, StartText, VersionText, visibleText } from '../../../platform/http/fields.ts';
import { noContent, ok } from '../../../platform/http/route-response.ts';
import { route } from '../define-version-route.ts';
import { FeatureFlagResource, flagTexts, presentFeatureFlag } from './response.ts';

/** `GET /features` reads all flags for each of its callers. */
const MAX_FLAGS = 200;

const FlagName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,63}$/, 'A name has lower case letters, digits and hyphens, at most 64')
  .describe('Name of the flag: lower case letters, digits and hyphens, at most 64.');
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

export const putFeatureFlagRoute = route({
  method: 'put',
  path: '/feature-flags/:name',
  operationId: 'putFeatureFlag',
  summary: 'Create or replace a feature flag',
  description:
    'A flag says who has a feature of a client or of this API; `GET /features` returns those that are on for a caller.',
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

export const deleteFeatureFlagRoute = route({
  method: 'delete',
  path: '/feature-flags/:name',
  operationId: 'deleteFeatureFlag',
  summary: 'Delete a feature flag',
  description: 'The feature is off for everyone from then on.',
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
