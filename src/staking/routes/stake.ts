import { z } from 'zod';
import { stake } from '../stake.ts';
import { prefetchStake } from '../prefetch-stake.ts';
import { getListedStake } from '../queries/vault-stakes.ts';
import { created } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { runOnce } from '../../platform/http/run-once.ts';
import { exampleWallet } from '../../transactions/routes/example-wallet.ts';
import { sessionWalletText, unsignedTransactionText } from '../../platform/http/descriptions.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { AmountText, ResourceId, TokenAmount } from '../../platform/http/fields.ts';
import {
  FUNDS_BODY_LIMIT,
  namedFundsErrors,
  payerFields,
  payerOf,
  requireWallet,
} from '../../transactions/routes/wallet-funds.ts';
import { OperationTransaction, presentBuilt } from '../../transactions/routes/response.ts';
import { presentStake, StakeResource } from './response.ts';

const StakeStarted = StakeResource.extend({
  deliveryDeposit: AmountText.describe(
    'Lovelace sent along with the tokens; they pay for the return, and the wallet gets back what is left',
  ),
  transaction: OperationTransaction,
});

export const stakeRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/stakes',
  operationId: 'stake',
  summary: 'Stake tokens of a locked vault in a script that needs the signatures of both owner and vault',
  description: [
    'The vault must be LOCKED. A stake has power in votes that open after it is final (`finalAt`) and whose execution phase ' +
      'ends before `ownerAloneFrom`. From then on, the owner can take the stake back without the vault.',
    unsignedTransactionText,
    sessionWalletText('walletAddress'),
  ].join(' '),
  success: 'The stake is recorded; it has no voting power until its signed transaction is final',
  examples: {
    tokens: { walletAddress: exampleWallet, amount: 2500 },
    exactly: { walletAddress: exampleWallet, amount: '0.000001' },
  },
  bodyLimit: FUNDS_BODY_LIMIT,
  permission: { resource: 'stake', action: 'CREATE' },
  params: z.strictObject({ vaultId: ResourceId }),
  body: z.strictObject({ ...payerFields, amount: TokenAmount }).meta({ id: 'StakeTokens' }),
  responses: { 201: Enveloped(StakeStarted) },
  errors: [
    'OPERATION_PAUSED',
    'VAULT_NOT_FOUND',
    'VAULT_NOT_LOCKED',
    'VAULT_ALREADY_ENDED',
    'INVALID_QUANTITY',
    'ASSET_NOT_IN_WALLET',
    'INSUFFICIENT_FUNDS',
    ...namedFundsErrors,
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'INSUFFICIENT_PERMISSIONS',
    'LEDGER_UNAVAILABLE',
    'SERVICE_NOT_READY',
  ],
  errorFields: { ASSET_NOT_IN_WALLET: 'amount', INSUFFICIENT_FUNDS: 'walletAddress' },
  async handle({ params, body, caller, correlationId, idempotency }, api) {
    const staker = requireWallet(await payerOf(api, caller, body));
    const prefetch = await prefetchStake(api, { ...params, caller, staker });
    return runOnce(api, idempotency, async (context) => {
      const input = { ...params, amount: body.amount, staker, caller, correlationId };
      const { stakeId, deliveryDeposit, transaction, expiresAt } = await stake(context, api, input, prefetch);
      const data = {
        ...presentStake(await getListedStake(context.tx, stakeId), caller, api.networkId),
        deliveryDeposit: deliveryDeposit.toString(),
        transaction: presentBuilt(transaction, staker.signer, expiresAt),
      };
      return created(enveloped(data, context.now));
    });
  },
});
