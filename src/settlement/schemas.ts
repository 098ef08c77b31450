import { z } from 'zod';
import { ReturnReasonEnum } from '../investments/schemas.ts';
import { settlementFigureTexts, AmountText, Timestamp } from '../platform/http/fields.ts';
import { isoText } from '../platform/units/time.ts';
import type { PlannedSettlement, Entitlement } from './queries/settlements.ts';
import { contributor } from '../transactions/routes/examples.ts';

// Recorded on a development stack.

const settlementExample = {
  plannedAt: '2026-11-23T19:54:08.414Z',
  figures: {
    value: '650500000',
    invested: '350000000',
    fdv: '700000000',
    reserveRequired: '65050000',
    lpLovelace: '35000000',
    lpFt: '50000000000',
    investorsFt: '475000000000',
    contributorsFt: '475000000000',
    contributorsLovelace: '315000000',
  },
  entitlementCount: 4,
  returnedCount: 0,
  returned: [],
  revision: null,
};

const entitlementExample = {
  depositId: '01a1ffab-83c3-7331-9786-026c1c193573',
  depositKind: 'asset',
  wallet: contributor,
  ftBaseUnits: '182551883167',
  lovelace: '121060723',
  lovelaceOwed: '121060723',
  reclaimed: false,
};

/** Totals of a plan. */
const Figures = z.object({
  value: AmountText.describe(settlementFigureTexts.value),
  invested: AmountText.describe(settlementFigureTexts.invested),
  fdv: AmountText.describe(settlementFigureTexts.fdv),
  reserveRequired: AmountText.describe(settlementFigureTexts.reserveRequired),
  lpLovelace: AmountText.describe(settlementFigureTexts.lpLovelace),
  lpFt: AmountText.describe(settlementFigureTexts.lpFt),
  investorsFt: AmountText.describe('Base units of the token for all investors.'),
  contributorsFt: AmountText.describe('Base units of the token for all contributors.'),
  contributorsLovelace: AmountText.describe(settlementFigureTexts.contributorsLovelace),
});

/** What a deposit pays its owner, besides the rest of its delivery deposit. */
export const EntitlementResource = z
  .object({
    depositId: z.uuid().describe('ID of an asset or an investment.'),
    depositKind: z.enum(['asset', 'investment']).describe('Kind of deposit that `depositId` identifies.'),
    wallet: z.string(),
    ftBaseUnits: AmountText.describe("Base units of the vault's token."),
    lovelace: AmountText.describe('Planned lovelace. 0 for an investment.'),
    lovelaceOwed: AmountText.describe(
      'Lovelace that the deposit is paid. Differs from `lovelace` if the settlement was revised.',
    ),
    reclaimed: z
      .boolean()
      .describe('Whether the owner reclaimed the deposit without the platform. Its payout then stays in custody.'),
  })
  .meta({ id: 'Entitlement', examples: [entitlementExample] });

/** A vault may return thousands of deposits; the investments and assets of a wallet say what became of its own. */
const MAX_RETURNED = 100;

const Returned = z.object({
  depositId: z.uuid().describe('ID of an asset or an investment.'),
  depositKind: z.enum(['asset', 'investment']).describe('Kind of deposit that `depositId` identifies.'),
  wallet: z.string(),
  reason: ReturnReasonEnum,
});

const Revision = z.object({
  revisedAt: Timestamp.describe('Time at which the last reclaimed investment was found.'),
  invested: AmountText.describe('Lovelace that the vault actually received.'),
  lpLovelace: AmountText.describe(settlementFigureTexts.lpLovelace),
  contributorsLovelace: AmountText.describe(settlementFigureTexts.contributorsLovelace),
});

/** The stored plan of a settlement: its totals, its payouts and its revision (design D13c). */
export const SettlementPlan = z
  .object({
    plannedAt: Timestamp.describe('From this time on, the vault cannot be cancelled.'),
    figures: Figures.describe('Planned totals.'),
    entitlementCount: z.int().describe('Number of deposits that are paid. `listEntitlements` lists them.'),
    returnedCount: z
      .int()
      .describe(
        'Number of deposits that do not count and return to their owners. They are not among the entitlements.',
      ),
    returned: z.array(Returned).describe(`Deposits that return to their owners, at most ${MAX_RETURNED}.`),
    revision: Revision.nullable().describe(
      'Lovelace amounts that replace the planned ones after owners reclaimed investments without the platform. ' +
        'Token amounts do not change. `null` while the plan is valid.',
    ),
  })
  .meta({ id: 'SettlementPlan', examples: [settlementExample] });

export function presentSettlement({
  plan: { plannedAt, distribution, returned, revision },
  entitlementCount,
}: PlannedSettlement): z.input<typeof SettlementPlan> {
  return {
    plannedAt: isoText(plannedAt),
    figures: Figures.parse(distribution),
    entitlementCount,
    returnedCount: returned.length,
    returned: returned.slice(0, MAX_RETURNED).map(({ id: depositId, ...deposit }) => ({ depositId, ...deposit })),
    revision: revision && {
      revisedAt: isoText(revision.revisedAt),
      invested: revision.invested.toString(),
      lpLovelace: revision.lpLovelace.toString(),
      contributorsLovelace: revision.contributorsLovelace.toString(),
    },
  };
}

export function presentEntitlement({
  ft,
  lovelace,
  owed,
  ...entitlement
}: Entitlement): z.input<typeof EntitlementResource> {
  return { ...entitlement, ftBaseUnits: ft.toString(), lovelace: lovelace.toString(), lovelaceOwed: owed.toString() };
}
