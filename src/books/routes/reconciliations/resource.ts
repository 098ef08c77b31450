import { z } from 'zod';
import { isoText } from '../../../platform/units/instant.ts';
import type { Reconciliation } from '../../queries/reconciliations.ts';
import { Timestamp } from '../../../platform/http/fields.ts';

/** A comparison of the books with the ledger. */
export const ReconciliationResource = z
  .object({
    reconciliationId: z.uuid(),
    startedBy: z.enum(['schedule', 'operator']).describe('Hourly, or by `npm run reconcile`'),
    startedAt: Timestamp.describe('When the comparison began'),
    endedAt: Timestamp.nullable().describe('`null` while it is under way, and if it never ended'),
    vaults: z.int().describe('Number of vaults compared'),
    vaultsLeft: z.int().describe('Number of vaults that were due when its time was over; the next one compares them'),
    differences: z
      .object({
        correctness: z.int().describe('What the books say and is not so'),
        completeness: z.int().describe('What is so and the books do not say'),
      })
      .describe('Number of differences found, by kind'),
  })
  .meta({
    id: 'Reconciliation',
    examples: [
      {
        reconciliationId: '01a1ffab-81a0-71d7-bc2f-7ad9c92e5fb2',
        startedBy: 'schedule',
        startedAt: '2026-11-23T04:00:00.112Z',
        endedAt: '2026-11-23T04:00:09.530Z',
        vaults: 12,
        vaultsLeft: 0,
        differences: { correctness: 0, completeness: 0 },
      },
    ],
  });

export function presentReconciliation(report: Reconciliation): z.input<typeof ReconciliationResource> {
  const { id: reconciliationId, startedAt, endedAt, startedBy, vaults, vaultsLeft, differences } = report;
  const ended = endedAt === null ? null : isoText(endedAt);
  const times = { startedAt: isoText(startedAt), endedAt: ended };
  return { reconciliationId, startedBy, ...times, vaults, vaultsLeft, differences };
}
