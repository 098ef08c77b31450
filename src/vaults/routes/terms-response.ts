import { z } from 'zod';
import { percentageNumber, printTokenAmount } from '../../platform/units/money.ts';
import type { Vault } from '../queries/vaults.ts';
import { investmentTexts, tokenAddressText, AmountText } from '../../platform/http/fields.ts';

export const FractionalizationFields = z.object({
  percentage: z.number().describe(investmentTexts.investors),
  tokenSupply: z.number().describe('Whole tokens that the settlement mints. No more are ever minted.'),
  tokenSupplyBaseUnits: AmountText.describe(
    'Exact supply in base units: `tokenSupply` times 10 to the power of `tokenDecimals`.',
  ),
  tokenDecimals: z.int().describe('Number of decimals of the token.'),
  tokenAddress: z.string().nullable().describe(tokenAddressText),
});

export function presentFractionalization({ terms, ftUnit }: Vault): z.input<typeof FractionalizationFields> {
  return {
    percentage: percentageNumber(terms.ftPercentage),
    tokenSupply: Number(printTokenAmount(terms.ftSupply, terms.ftDecimals)),
    tokenSupplyBaseUnits: terms.ftSupply.toString(),
    tokenDecimals: terms.ftDecimals,
    tokenAddress: ftUnit,
  };
}

export const InvestmentFields = z.object({
  reserve: z.number().describe(investmentTexts.reserve),
  liquidityPool: z.number().describe(investmentTexts.liquidity),
});

export function presentInvestmentTerms({ terms }: Vault): z.input<typeof InvestmentFields> {
  return { reserve: percentageNumber(terms.reserve), liquidityPool: percentageNumber(terms.lpPercentage) };
}
