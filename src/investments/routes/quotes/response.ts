import { z } from 'zod';
import { defaultMinVaultValue } from '../../rules/investment.ts';
import type { Lovelace } from '../../../platform/units/money.ts';
import { printTokenAmount } from '../../../platform/units/token-amount.ts';
import type { InvestmentQuote } from '../../quotes/quote-investment.ts';
import { settlementFigureTexts } from '../../../platform/http/descriptions.ts';
import { ReturnReasonEnum } from '../enums.ts';
import { AmountText, BaseUnitsText } from '../../../platform/http/fields.ts';
import { TerminationReasonEnum } from '../../../vaults/routes/enums.ts';
import { quoteExample } from './examples.ts';

export const QuoteResource = z
  .object({
    lovelace: AmountText.describe('Lovelace of the investment'),
    ft: z.string().describe('Whole tokens; 0 if the vault would fail'),
    ftBaseUnits: BaseUnitsText,
    settles: z.boolean().describe('Whether the vault would settle'),
    minVaultValue: AmountText.describe('`minVaultValue` of an investment that is made now without one, in lovelace'),
    returnReason: ReturnReasonEnum.nullable().describe(
      'Why the investment would go back although the vault settles; otherwise `null`',
    ),
    reason: TerminationReasonEnum.nullable().describe('Why the vault would fail; `null` if it would settle'),
    figures: z
      .object({
        value: AmountText.describe(settlementFigureTexts.value),
        invested: AmountText.describe(settlementFigureTexts.invested),
        fdv: AmountText.describe(settlementFigureTexts.fdv),
        reserveRequired: AmountText.describe(settlementFigureTexts.reserveRequired),
        reserveMet: z.boolean().describe('Whether `invested` is at least `reserveRequired`'),
        lpLovelace: AmountText.describe(settlementFigureTexts.lpLovelace),
        lpFt: AmountText.describe(settlementFigureTexts.lpFt),
      })
      .describe('Totals of the settlement with this investment, in lovelace and base units'),
  })
  .meta({ id: 'Quote', examples: [quoteExample] });

export function presentQuote(
  { ft, ftDecimals, returnReason, distribution }: InvestmentQuote,
  lovelace: Lovelace,
): z.input<typeof QuoteResource> {
  return {
    lovelace: lovelace.toString(),
    ft: printTokenAmount(ft, ftDecimals),
    ftBaseUnits: ft.toString(),
    settles: distribution.kind === 'settles',
    minVaultValue: defaultMinVaultValue(distribution.value).toString(),
    returnReason,
    reason: distribution.kind === 'fails' ? distribution.reason : null,
    figures: {
      value: distribution.value.toString(),
      invested: distribution.invested.toString(),
      fdv: distribution.fdv.toString(),
      reserveRequired: distribution.reserveRequired.toString(),
      reserveMet: distribution.reserveMet,
      lpLovelace: distribution.lpLovelace.toString(),
      lpFt: distribution.lpFt.toString(),
    },
  };
}
