import { z } from 'zod';
import { lovelace } from '../../../platform/units/money.ts';
import { quoteInvestment } from '../../quotes/quote-investment.ts';
import { vaultAttributes } from '../../../vaults/vault-access.ts';
import { ok } from '../../../platform/http/route-response.ts';
import { route } from '../../../api-context.ts';
import { Enveloped, enveloped } from '../../../platform/http/envelope.ts';
import { LovelaceText, ResourceId } from '../../../platform/http/fields.ts';
import { presentQuote, QuoteResource } from './response.ts';

export const getQuoteRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/quote',
  operationId: 'readQuote',
  summary: 'Quote an investment',
  description:
    'Returns what an investment would get if the vault settled right after it. The quote uses the same computation as the settlement, with the current assets and investments of the vault ' +
    'and this investment. If the vault would fail, `settles` is false and `reason` says why. ' +
    'Investments whose `minVaultValue` is above the present value of the assets do not count, nor do those whose `maxFdv` ' +
    'is below the FDV; `figures.fdv` is the FDV with this investment, which sets no bound.',
  permission: { resource: 'vault', action: 'READ', attributes: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({ lovelace: LovelaceText.describe('Amount to invest, in lovelace.') }),
  responses: { 200: Enveloped(QuoteResource) },
  errors: ['VAULT_NOT_FOUND', 'VAULT_ALREADY_ENDED', 'INVESTMENT_WINDOW_CLOSED'],
  async handle({ params, query, caller }, context) {
    const amount = lovelace(BigInt(query.lovelace));
    const quote = await quoteInvestment(context, caller, params.vaultId, amount);
    return ok(enveloped(presentQuote(quote, amount), quote.now));
  },
});
