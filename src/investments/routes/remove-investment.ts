import { z } from 'zod';
import { investmentOwnershipAttributes } from '../read-investments.ts';
import { removeInvestment } from '../remove-investment.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { platformSignedText } from '../../platform/http/descriptions.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { runOnce } from '../../platform/http/run-once.ts';
import { OperationTransaction, presentPending } from '../../transactions/routes/response.ts';

const InvestmentRemoved = z.object({ investmentId: z.uuid(), transaction: OperationTransaction });

export const removeInvestmentRoute = route({
  method: 'delete',
  path: '/vaults/:vaultId/investments/:investmentId',
  operationId: 'removeInvestment',
  summary: 'Take an investment back while the investment window is open',
  description: [
    'The investor may take an investment back once it is CONFIRMED: all of it, and what its delivery deposit leaves after the fee.',
    platformSignedText,
  ].join(' '),
  success: 'The return of the investment has started; the investment no longer counts in the vault',
  permission: { resource: 'investment', action: 'DELETE', attributes: investmentOwnershipAttributes },
  params: z.strictObject({ vaultId: ResourceId, investmentId: ResourceId }),
  responses: { 200: Enveloped(InvestmentRemoved) },
  errors: [
    'VAULT_NOT_FOUND',
    'INVESTMENT_NOT_FOUND',
    'VAULT_ALREADY_ENDED',
    'INVESTMENT_WINDOW_NOT_OPEN',
    'INVESTMENT_WINDOW_CLOSED',
    'INVESTMENT_NOT_CONFIRMED',
    'INVESTMENT_ALREADY_LEAVING',
    'INVESTMENT_ALREADY_RETURNED',
    'INSUFFICIENT_FUNDS',
    'LEDGER_UNAVAILABLE',
  ],
  async handle({ params, caller, correlationId, idempotency }, api) {
    const chain = await api.networkState();
    return runOnce(api, idempotency, async (context) => {
      const input = { ...params, caller, correlationId };
      const { hash } = await removeInvestment(context, api, input, chain);
      const data = { investmentId: params.investmentId, transaction: presentPending(hash) };
      return ok(enveloped(data, context.now));
    });
  },
});
