import { z } from 'zod';
import { isoText } from '../../platform/units/instant.ts';
import { readMetrics } from '../read-metrics.ts';
import { vaultAttributes } from '../vault-access.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { AmountText, DurationPrinted, ResourceId, Timestamp } from '../../platform/http/fields.ts';

const PercentageText = z.string().regex(/^[+-]?\d+\.\d\d%$/);

const VaultMetrics = z.object({
  status: z.literal('success'),
  data: z.object({
    valuation: z.object({
      initial: AmountText.describe(
        'Lovelace: what the settlement counted; before it, the value of what was locked first',
      ),
      current: AmountText.describe('Lovelace: `total` of the valuation'),
      change: PercentageText.describe('From `initial` to `current`, signed, with two decimals: `+12.50%`'),
    }),
    participation: z.object({
      uniqueVoters: z.int().describe('Wallets that have voted on any proposal of the vault'),
      averageQuorum: PercentageText.describe('Mean share of the eligible power that voted, over all closed votes'),
      proposalCount: z.int().describe('Proposals of the vault, ended ones included'),
    }),
    timeline: z.object({
      created: Timestamp.describe('When the vault was created'),
      locked: Timestamp.nullable().describe('When it was settled; null before'),
      age: DurationPrinted,
    }),
  }),
});

export const getMetricsRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/metrics',
  operationId: 'readVaultMetrics',
  specified: true,
  summary: 'Figures of a vault: its value, participation in its governance, and age',
  description:
    'Before the settlement, `initial` is the value of what was locked first, and `change` how the value of the vault has moved ' +
    'since; afterwards both start from what the settlement counted.',
  permission: { resource: 'vault', action: 'READ', attributes: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  responses: { 200: VaultMetrics },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params, caller }, context) {
    const metrics = await readMetrics(context, caller, params.vaultId);
    const { initial, current, change, uniqueVoters, averageQuorum, proposals, createdAt, lockedAt, age } = metrics;
    const data = {
      valuation: { initial: initial.toString(), current: current.toString(), change },
      participation: { uniqueVoters, averageQuorum, proposalCount: proposals },
      timeline: { created: isoText(createdAt), locked: lockedAt === null ? null : isoText(lockedAt), age },
    };
    return ok({ status: 'success', data } as const);
  },
});
