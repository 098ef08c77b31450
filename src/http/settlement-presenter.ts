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

/** What is paid instead of the plan once owners have taken investments back alone after T. */
const Revision = z.object({
  revisedAt: Timestamp,
  invested: AmountText,
  lpLovelace: AmountText,
  contributorsLovelace: AmountText,
});

/** The stored plan of a settlement: what it adds up to, who gets what, and what became of it (design D13c). */
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
        /** As it is paid: the planned lovelace, unless the settlement was revised. */
        lovelaceOwed: AmountText,
        /** Whether the owner has taken the deposit back alone; what it brings is then kept in the vault's custody. */
        reclaimed: z.boolean(),
      }),
    ),
    revision: Revision.nullable(),
  })
  .meta({ id: 'SettlementPlan' });

export function presentSettlement(
  { distribution, revision }: PlanFigures,
  entitlements: readonly Entitlement[],
  plannedAt: Instant,
): z.input<typeof SettlementPlan> {
  return {
    plannedAt: isoText(plannedAt),
    figures: Figures.parse(distribution),
    entitlements: entitlements.map(({ ft, lovelace, owed, reclaimed, depositId, depositKind, wallet }) => ({
      depositId,
      depositKind,
      wallet,
      ftBaseUnits: ft.toString(),
      lovelace: lovelace.toString(),
      lovelaceOwed: owed.toString(),
      reclaimed,
    })),
    revision: revision && {
      revisedAt: isoText(revision.revisedAt),
      invested: revision.invested.toString(),
      lpLovelace: revision.lpLovelace.toString(),
      contributorsLovelace: revision.contributorsLovelace.toString(),
    },
  };
}
