import { z } from 'zod';
import type { NetworkId } from '../../cardano/transaction.ts';
import { isoText } from '../../platform/units/instant.ts';
import { lovelace } from '../../platform/units/money.ts';
import { invest, type StartedInvestment } from '../invest.ts';
import { prefetchInvestment } from '../prefetch-investment.ts';
import { created } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { runOnce } from '../../platform/http/run-once.ts';
import { exampleWallet } from '../../transactions/routes/example-wallet.ts';
import { sessionWalletText, unsignedTransactionText } from '../../platform/http/descriptions.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { LovelaceAmount, LovelaceBound, ResourceId } from '../../platform/http/fields.ts';
import {
  FUNDS_BODY_LIMIT,
  namedFundsErrors,
  payerFields,
  payerOf,
  requireWallet,
} from '../../transactions/routes/wallet-funds.ts';
import { depositOwnerScript, type WithOwnerScript } from '../../transactions/routes/owner-script.ts';
import { OperationTransaction, presentBuilt } from '../../transactions/routes/response.ts';
import { InvestmentFields } from './response.ts';

const InvestmentStarted = InvestmentFields.extend({ transaction: OperationTransaction });

export const investRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/investments',
  operationId: 'invest',
  summary: 'Invest ADA in a vault while its investment window is open',
  description: [
    'The minimum is 5 ADA. Until the window ends, `DELETE` takes the investment back.',
    unsignedTransactionText,
    'The transaction also carries `deliveryDeposit` lovelace, which pay for delivering or returning the investment; the ' +
      'wallet gets back what is left.',
    sessionWalletText('walletAddress'),
  ].join(' '),
  success: 'The investment is recorded as PENDING; it becomes CONFIRMED once its signed transaction is in a block',
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
        'Lovelace that the assets of the vault must be worth when it settles; otherwise the investment goes back whole, less ' +
          'the fee. Default: 80 % of their present value. 0 sets no bound',
      ),
      maxFdv: LovelaceAmount.optional().describe(
        'Highest FDV, in lovelace, at which the vault may settle; otherwise the investment goes back whole, less the fee. The ' +
          'FDV is what the whole token supply costs at the price of all investments that count. Default: no bound',
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
    investmentId: investment.id,
    vaultId: investment.vaultId,
    walletAddress: investment.wallet,
    lovelace: investment.lovelace.toString(),
    deliveryDeposit: investment.deliveryDeposit.toString(),
    minVaultValue: investment.minVaultValue.toString(),
    maxFdv: investment.maxFdv?.toString() ?? null,
    status: 'PENDING',
    releaseReason: null,
    createdAt: isoText(investment.createdAt),
    ownerScript: depositOwnerScript(guard, investment.wallet, networkId),
    transaction: presentBuilt(transaction, signer, expiresAt),
  };
}
