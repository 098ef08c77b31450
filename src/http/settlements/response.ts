import { z } from 'zod';
import { type Instant, isoText } from '../../domain/units/instant.ts';
import type { Entitlement, PlanFigures } from '../../store/settlements.ts';
import { AmountText, Timestamp } from '../server/fields.ts';
import { settlementFigureTexts } from '../server/descriptions.ts';
import { settlementExample } from './examples.ts';

/** Totals of a plan. */
const Figures = z.object({
  value: AmountText.describe(settlementFigureTexts.value),
  invested: AmountText.describe(settlementFigureTexts.invested),
  fdv: AmountText.describe(settlementFigureTexts.fdv),
  reserveRequired: AmountText.describe(settlementFigureTexts.reserveRequired),
  lpLovelace: AmountText.describe(settlementFigureTexts.lpLovelace),
  lpFt: AmountText.describe(settlementFigureTexts.lpFt),
  investorsFt: AmountText.describe('Base units to all investors'),
  contributorsFt: AmountText.describe('Base units to all contributors'),
  contributorsLovelace: AmountText.describe(settlementFigureTexts.contributorsLovelace),
});

const Revision = z.object({
  revisedAt: Timestamp.describe('When the last of them was noticed'),
  invested: AmountText.describe('Lovelace that really came in'),
  lpLovelace: AmountText.describe(settlementFigureTexts.lpLovelace),
  contributorsLovelace: AmountText.describe(settlementFigureTexts.contributorsLovelace),
});

/** The stored plan of a settlement: what it adds up to, who gets what, and what became of it (design D13c). */
export const SettlementPlan = z
  .object({
    plannedAt: Timestamp.describe('From here on nobody cancels the vault'),
    figures: Figures.describe('As planned'),
    entitlements: z
      .array(
        z.object({
          depositId: z.uuid().describe('An asset or an investment'),
          depositKind: z.enum(['asset', 'investment']).describe('What `depositId` names'),
          wallet: z.string(),
          ftBaseUnits: AmountText.describe("Base units of the vault's token"),
          lovelace: AmountText.describe('As planned; 0 for an investment'),
          lovelaceOwed: AmountText.describe('As it is paid: `lovelace`, unless the settlement was revised'),
          reclaimed: z
            .boolean()
            .describe('Whether the owner has taken the deposit back alone; what it brings is then kept in custody'),
        }),
      )
      .describe(
        'What each deposit brings its owner, beside the rest of its delivery deposit; in the order they are paid',
      ),
    revision: Revision.nullable().describe(
      'What is paid instead once owners have taken investments back alone; tokens stay as planned. Null as long as the plan holds',
    ),
  })
  .meta({ id: 'SettlementPlan', examples: [settlementExample] });

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
