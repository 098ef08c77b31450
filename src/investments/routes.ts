import { z } from 'zod';
import { route } from '../api-context.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import { invest, type StartedInvestment, prefetchInvestment } from './invest.ts';
import { quoteInvestment } from './quotes.ts';
import { listVaultInvestments, readVaultInvestment, investmentOwnershipAttributes } from './read-investments.ts';
import { removeInvestment } from './remove-investment.ts';
import { investmentStatuses } from './rules.ts';
import {
  InvestmentFields,
  InvestmentResource,
  presentInvestment,
  presentQuote,
  presentTerms,
  QuoteResource,
} from './schemas.ts';
import {
  sessionWalletText,
  unsignedTransactionText,
  platformSignedText,
  LovelaceAmount,
  LovelaceBound,
  ResourceId,
  AddressFilter,
  CaseInsensitive,
  LovelaceText,
} from '../platform/http/fields.ts';
import {
  Enveloped,
  enveloped,
  EnvelopedPage,
  envelopedPage,
  pageOf,
  pageQuery,
  paginationOf,
} from '../platform/http/envelope.ts';
import { created, ok } from '../platform/http/route.ts';
import { runOnce } from '../platform/http/run-once.ts';
import { lovelace } from '../platform/units/money.ts';
import { exampleWallet } from '../transactions/routes/examples.ts';
import type { WithOwnerScript } from '../transactions/routes/owner-script.ts';
import { OperationTransaction, presentBuilt, presentPending } from '../transactions/routes/response.ts';
import {
  FUNDS_BODY_LIMIT,
  namedFundsErrors,
  payerFields,
  payerOf,
  requireWallet,
} from '../transactions/routes/wallet-funds.ts';
import { vaultAttributes } from '../vaults/require-vault.ts';

const InvestmentStarted = InvestmentFields.extend({ transaction: OperationTransaction });

const investRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/investments',
  operationId: 'invest',
  summary: 'Invest in a vault',
  description: [
    'Invests ADA while the investment window is open. The minimum is 5 ADA. You can take the investment back until the window ends.',
    unsignedTransactionText,
    sessionWalletText('walletAddress'),
  ].join('\n\n'),
  success: 'The investment is PENDING. It becomes CONFIRMED when the signed transaction is in a block.',
  examples: {
    hundredAda: { walletAddress: exampleWallet, lovelace: 100_000_000 },
    withBounds: {
      walletAddress: exampleWallet,
      lovelace: 100_000_000,
      minVaultValue: 500_000_000,
      maxFdv: 600_000_000,
    },
  },
  bodyLimit: FUNDS_BODY_LIMIT,
  permission: { resource: 'investment', action: 'CREATE' },
  params: z.strictObject({ vaultId: ResourceId }),
  body: z
    .strictObject({
      ...payerFields,
      lovelace: LovelaceAmount,
      minVaultValue: LovelaceBound.optional().describe(
        "Minimum value of the vault's assets at the settlement, in lovelace. If they are worth less, the " +
          'investment is returned, less the fee. Default: 80 % of their current value. 0 sets no limit.',
      ),
      maxFdv: LovelaceAmount.optional().describe(
        'Maximum FDV at the settlement, in lovelace. If it is higher, the investment is returned, less the fee. ' +
          'The FDV is the price of the whole token supply. Default: no limit.',
      ),
    })
    .meta({ id: 'Invest' }),
  responses: { 201: Enveloped(InvestmentStarted) },
  errors: [
    'OPERATION_PAUSED',
    'VAULT_NOT_FOUND',
    'VAULT_ALREADY_ENDED',
    'INVESTMENT_WINDOW_NOT_OPEN',
    'INVESTMENT_WINDOW_CLOSED',
    'INVESTOR_NOT_WHITELISTED',
    'INVESTMENT_TOO_SMALL',
    'INSUFFICIENT_FUNDS',
    ...namedFundsErrors,
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'INSUFFICIENT_PERMISSIONS',
    'LEDGER_UNAVAILABLE',
    'SERVICE_NOT_READY',
  ],
  errorFields: { INVESTOR_NOT_WHITELISTED: 'walletAddress', INSUFFICIENT_FUNDS: 'lovelace' },
  async handle({ params, body, caller, correlationId, idempotency }, api) {
    const investor = requireWallet(await payerOf(api, caller, body));
    const minVaultValue = body.minVaultValue === undefined ? undefined : lovelace(BigInt(body.minVaultValue));
    const input = {
      ...params,
      lovelace: lovelace(BigInt(body.lovelace)),
      minVaultValue,
      maxFdv: body.maxFdv === undefined ? null : lovelace(BigInt(body.maxFdv)),
      investor,
      caller,
      correlationId,
    };
    const prefetch = await prefetchInvestment(api, input);
    return runOnce(api, idempotency, async (context) => {
      const started = await invest(context, api, input, prefetch);
      return created(enveloped(presentStartedInvestment(started, investor.signer, api.networkId), context.now));
    });
  },
});

function presentStartedInvestment(
  { investment, guard, transaction, expiresAt }: StartedInvestment,
  signer: 'wallet' | 'platform',
  networkId: NetworkId,
): WithOwnerScript<z.input<typeof InvestmentStarted>> {
  return {
    ...presentTerms(investment, guard, networkId),
    status: 'PENDING',
    releaseReason: null,
    transaction: presentBuilt(transaction, signer, expiresAt),
  };
}

export const listInvestmentsRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/investments',
  operationId: 'listInvestments',
  summary: 'List the investments in a vault',
  description:
    '`lovelace` is the invested amount, without the delivery deposit. Investments that never reached the ledger ' +
    'are listed only with `status=EXPIRED`.',
  success: 'A page of investments',
  permission: { resource: 'investment', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    ...pageQuery(['createdAt', 'lovelace', 'status']),
    status: CaseInsensitive(investmentStatuses).optional(),
    walletAddress: AddressFilter.optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ investments: z.array(InvestmentResource) })) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query, caller }, api) {
    const filter = { vaultId, status: query.status, wallet: query.walletAddress };
    const page = pageOf(query, 'createdAt:asc');
    const { investments, count, bounds } = await listVaultInvestments(api, caller, filter, page);
    const data = { investments: investments.map((listed) => presentInvestment(listed, bounds, api.networkId)) };
    const now = await api.readingTime();
    return ok(envelopedPage(data, paginationOf(query, count), now));
  },
});

const readInvestmentRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/investments/:investmentId',
  operationId: 'readInvestment',
  summary: 'Get an investment',
  description:
    'Includes investments that never reached the ledger. `lovelace` is the invested amount, without the delivery ' +
    'deposit. `boundHolds` says whether it would count now.',
  permission: { resource: 'investment', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId, investmentId: ResourceId }),
  responses: { 200: Enveloped(InvestmentResource) },
  errors: ['VAULT_NOT_FOUND', 'INVESTMENT_NOT_FOUND'],
  async handle({ params, caller }, api) {
    const { listed, bounds } = await readVaultInvestment(api, caller, params);
    const now = await api.readingTime();
    return ok(enveloped(presentInvestment(listed, bounds, api.networkId), now));
  },
});

const InvestmentRemoved = z.object({ investmentId: z.uuid(), transaction: OperationTransaction });

const removeInvestmentRoute = route({
  method: 'delete',
  path: '/vaults/:vaultId/investments/:investmentId',
  operationId: 'removeInvestment',
  summary: 'Take an investment back',
  description: [
    'The investor can take back a CONFIRMED investment while the investment window is open: the whole amount, ' +
      'and the delivery deposit less the fee.',
    platformSignedText,
  ].join('\n\n'),
  success: 'The return has started. The investment no longer counts in the vault.',
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

export const getQuoteRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/quote',
  operationId: 'readQuote',
  summary: 'Quote an investment',
  description:
    'Returns the payout of an investment if the vault settled right after it. It uses the computation of the ' +
    'settlement, with the current assets and investments.\n\n' +
    'If the vault would fail, `settles` is false and `reason` says why.\n\n' +
    'Investments do not count if their `minVaultValue` is above the current value of the assets, or their `maxFdv` ' +
    'below the FDV. `figures.fdv` is the FDV with this investment, which has no limit itself.',
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

/** The operations on investments, in the order of the OpenAPI document. */
export const investmentRoutes = [investRoute, listInvestmentsRoute, readInvestmentRoute, removeInvestmentRoute];
