import { z } from 'zod';
import { type Instant, isoText } from '../domain/instant.ts';
import type { Entitlement, PlanFigures } from '../store/settlements.ts';
import { AmountText, Timestamp } from './fields.ts';

/** Totals of a plan, lovelace and base units. */
const Figures = z.object({
  value: AmountText,
  invested: AmountText,
  fdv: AmountText,
  reserveRequired: AmountText,
  lpLovelace: AmountText,
  lpFt: AmountText,
  investorsFt: AmountText,
  contributorsFt: AmountText,
  contributorsLovelace: AmountText,
});

/** The stored plan of a settlement: what it adds up to, and who gets what (design D13c). */
export const SettlementPlan = z
  .object({
    plannedAt: Timestamp,
    figures: Figures,
    entitlements: z.array(
      z.object({
        depositId: z.uuid(),
        depositKind: z.enum(['asset', 'investment']),
        wallet: z.string(),
        ftBaseUnits: AmountText,
        lovelace: AmountText,
      }),
    ),
  })
  .meta({ id: 'SettlementPlan' });

export function presentSettlement(
  { distribution }: PlanFigures,
  entitlements: readonly Entitlement[],
  plannedAt: Instant,
): z.input<typeof SettlementPlan> {
  return {
    plannedAt: isoText(plannedAt),
    figures: Figures.parse(distribution),
    entitlements: entitlements.map(({ ft, lovelace, depositId, depositKind, wallet }) => ({
      depositId,
      depositKind,
      wallet,
      ftBaseUnits: ft.toString(),
      lovelace: lovelace.toString(),
    })),
  };
}
