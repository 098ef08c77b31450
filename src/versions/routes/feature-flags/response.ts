import { z } from 'zod';
import { isoText } from '../../../platform/units/instant.ts';
import { percentageNumber } from '../../../platform/units/percentage.ts';
import type { FeatureFlag } from '../../rules/feature-flag.ts';
import { Timestamp, VersionText } from '../../../platform/http/fields.ts';

export const flagTexts = {
  enabled: 'Nobody has the feature while this is false',
  version: 'The first version of the API that has the feature',
  rolloutPercentage: 'Percentage of the clients that have the feature; raising it takes the feature from nobody',
  clientIds: 'Ids of API keys, or wallet addresses: only these clients may have the feature; every client if empty',
  environments: 'Only deployments with these names may have the feature; every deployment if empty',
  startDate: 'The feature is off before',
};

export const FeatureFlagResource = z
  .object({
    name: z.string(),
    enabled: z.boolean().describe(flagTexts.enabled),
    version: VersionText.describe(flagTexts.version),
    rolloutPercentage: z.number().describe(flagTexts.rolloutPercentage),
    conditions: z.object({
      clientIds: z.array(z.string()).describe(flagTexts.clientIds),
      environments: z.array(z.string()).describe(flagTexts.environments),
      startDate: Timestamp.nullable().describe(`${flagTexts.startDate}; \`null\` if it has no start`),
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

export function presentFeatureFlag(flag: FeatureFlag): z.input<typeof FeatureFlagResource> {
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
