import { z } from 'zod';
import { claim } from '../../claims/claim.ts';
import { prefetchClaim } from '../../claims/prefetch-claim.ts';
import { getListedClaim } from '../../queries/vault-claims.ts';
import { created } from '../../../platform/http/route-response.ts';
import { route } from '../../../api-context.ts';
import { runOnce } from '../../../platform/http/run-once.ts';
import { exampleWallet } from '../../../transactions/routes/example-wallet.ts';
import { optionalWalletText, unsignedTransactionText } from '../../../platform/http/descriptions.ts';
import { Enveloped, enveloped } from '../../../platform/http/envelope.ts';
import { BaseUnitsText, ResourceId, TokenAmount } from '../../../platform/http/fields.ts';
import { FUNDS_BODY_LIMIT, namedFundsErrors, payerFields, payerOf } from '../../../transactions/routes/wallet-funds.ts';
import { OperationTransaction, presentBuilt } from '../../../transactions/routes/response.ts';
import { ClaimResource, presentClaim } from './response.ts';

const ClaimStarted = ClaimResource.extend({
  stakedBaseUnits: BaseUnitsText.describe(
    'Base units that the wallet has staked in the vault; it can claim for them once they are unstaked',
  ),
  transaction: OperationTransaction,
});

export const claimRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/claims',
  operationId: 'claim',
  summary: 'Claim a share of a vault',
  description: [
    'Returns tokens of a vault that ends, and pays their share of its pot in the same transaction. Without `amount`, the wallet claims for all tokens that it has; it may claim several times for parts of them. The payout is the ' +
      'part of the pot that the tokens are of all that circulate, rounded down to a lovelace; the wallet pays the fee. Nobody’s share ' +
      'becomes smaller when others claim first. Whoever claims gives up their part of the assets that the vault still has: what they are ' +
      'sold for later is shared by those who claim after that. A claim replaces an unsigned one of the same wallet from the same vault.',
    unsignedTransactionText,
    'When many claim at once, another claim may take the output of the pot before this one is signed: CLAIM_OUTPUT_TAKEN then answers ' +
      'the witnesses, and the wallet claims again.',
    optionalWalletText('walletAddress'),
  ].join(' '),
  success: 'The claim is recorded; it is paid when its signed transaction is in a block',
  examples: { all: { walletAddress: exampleWallet }, part: { walletAddress: exampleWallet, amount: '2500.5' } },
  bodyLimit: FUNDS_BODY_LIMIT,
  permission: { resource: 'claim', action: 'CREATE' },
  params: z.strictObject({ vaultId: ResourceId }),
  body: z.strictObject({ ...payerFields, amount: TokenAmount.optional() }).meta({ id: 'ClaimShare' }),
  responses: { 201: Enveloped(ClaimStarted) },
  errors: [
    'VAULT_NOT_FOUND',
    'CLAIMS_NOT_OPEN',
    'CLAIMS_CLOSED',
    'CLAIMS_AWAIT_SALE',
    'INVALID_QUANTITY',
    'CLAIM_TOO_SMALL',
    'CLAIM_EXCEEDS_SUPPLY',
    'POT_IN_USE',
    'ASSET_NOT_IN_WALLET',
    'INSUFFICIENT_FUNDS',
    ...namedFundsErrors,
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'INSUFFICIENT_PERMISSIONS',
    'LEDGER_UNAVAILABLE',
    'SERVICE_NOT_READY',
  ],
  errorFields: {
    CLAIM_TOO_SMALL: 'amount',
    CLAIM_EXCEEDS_SUPPLY: 'amount',
    ASSET_NOT_IN_WALLET: 'amount',
    INSUFFICIENT_FUNDS: 'walletAddress',
  },
  async handle({ params, body, caller, correlationId, idempotency }, api) {
    const holder = await payerOf(api, caller, body);
    const prefetch = await prefetchClaim(api, { ...params, caller, holder });
    return runOnce(api, idempotency, async (context) => {
      const input = { ...params, amount: body.amount, holder, caller, correlationId };
      const { claimId, staked, transaction, expiresAt } = await claim(context, api, input, prefetch);
      const data = {
        ...presentClaim(await getListedClaim(context.tx, claimId)),
        stakedBaseUnits: staked.toString(),
        transaction: presentBuilt(transaction, holder.signer, expiresAt),
      };
      return created(enveloped(data, context.now));
    });
  },
});
