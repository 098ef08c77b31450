import { z } from 'zod';
import { route } from '../api-context.ts';
import {
  sessionWalletText,
  unsignedTransactionText,
  AmountText,
  ResourceId,
  TokenAmount,
  AddressFilter,
  CaseInsensitive,
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
import { getListedStake } from './queries/vault-stakes.ts';
import { stakeOwnershipAttributes, listVaultStakes, requireReadableStake } from './read-stakes.ts';
import { stakeStatuses } from './rules.ts';
import { presentStake, StakeResource } from './schemas.ts';
import { stake, prefetchStake } from './stake.ts';
import { unstake } from './unstake.ts';
import { exampleWallet } from '../transactions/routes/examples.ts';
import { OperationTransaction, presentBuilt } from '../transactions/routes/response.ts';
import {
  FUNDS_BODY_LIMIT,
  namedFundsErrors,
  payerFields,
  payerOf,
  requireWallet,
} from '../transactions/routes/wallet-funds.ts';

const StakeStarted = StakeResource.extend({
  deliveryDeposit: AmountText.describe(
    'Lovelace sent with the tokens. It pays for the return, and the wallet gets the rest back.',
  ),
  transaction: OperationTransaction,
});

const stakeRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/stakes',
  operationId: 'stake',
  summary: 'Stake tokens',
  description: [
    'Moves tokens of a LOCKED vault to a script that needs the signatures of both owner and vault.',
    'A stake has voting power in votes that open after it is final (`finalAt`) and whose execution phase ends ' +
      'before `ownerAloneFrom`. From then on, the owner can take the stake back without the vault.',
    unsignedTransactionText,
    sessionWalletText('walletAddress'),
  ].join('\n\n'),
  success: 'The stake is recorded. It has voting power when its signed transaction is final.',
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

const unstakeRoute = route({
  method: 'delete',
  path: '/stakes/:stakeId',
  operationId: 'unstake',
  summary: 'Unstake tokens',
  description: [
    'Returns the whole stake to its owner, in every phase of the vault. Owner and vault sign. STAKE_LOCKED means ' +
      'that an unfinished proposal uses the stake.',
    unsignedTransactionText,
  ].join('\n\n'),
  success: 'The stake, unchanged, with the transaction that returns it',
  permission: { resource: 'stake', action: 'DELETE', attributes: stakeOwnershipAttributes },
  params: z.strictObject({ stakeId: ResourceId }),
  responses: { 200: Enveloped(StakeResource.extend({ transaction: OperationTransaction })) },
  errors: [
    'STAKE_NOT_FOUND',
    'STAKE_NOT_FINAL',
    'STAKE_LOCKED',
    'STAKE_ALREADY_LEAVING',
    'STAKE_ALREADY_RELEASED',
    'INSUFFICIENT_FUNDS',
    'LEDGER_UNAVAILABLE',
    'SERVICE_NOT_READY',
  ],
  async handle({ params: { stakeId }, caller, correlationId, idempotency }, api) {
    const chain = await api.networkState();
    return runOnce(api, idempotency, async (context) => {
      const input = { stakeId, caller, correlationId };
      const { transaction, signer, expiresAt } = await unstake(context, api, input, chain);
      const data = {
        ...presentStake(await getListedStake(context.tx, stakeId), caller, api.networkId),
        transaction: presentBuilt(transaction, signer, expiresAt),
      };
      return ok(enveloped(data, context.now));
    });
  },
});

export const listStakesRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/stakes',
  operationId: 'listStakes',
  summary: 'List the stakes in a vault',
  description:
    'Amounts are in whole tokens. The fields in base units are exact. Stakes that never reached the ledger are ' +
    'listed only with `status=RELEASED`.',
  success: 'A page of stakes',
  permission: { resource: 'stake', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    ...pageQuery(['createdAt', 'amount', 'status']),
    status: CaseInsensitive(stakeStatuses).optional(),
    wallet: AddressFilter.optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ stakes: z.array(StakeResource) })) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query, caller }, api) {
    const { status, wallet } = query;
    const page = pageOf(query, 'createdAt:asc');
    const { stakes, count } = await listVaultStakes(api, caller, { vaultId, status, wallet }, page);
    const data = { stakes: stakes.map((listed) => presentStake(listed, caller, api.networkId)) };
    const now = await api.readingTime();
    return ok(envelopedPage(data, paginationOf(query, count), now));
  },
});

const readStakeRoute = route({
  method: 'get',
  path: '/stakes/:stakeId',
  operationId: 'readStake',
  summary: 'Get a stake',
  description:
    'Returns a stake with its voting power, its transactions and your allowed actions. `votingPower` is 0 until ' +
    'the stake is final. `usedPower` is the largest amount that any one unfinished vote uses. A stake is LOCKED ' +
    'until `lockedUntil` while votes use it.',
  permission: { resource: 'stake', action: 'READ' },
  params: z.strictObject({ stakeId: ResourceId }),
  responses: { 200: Enveloped(StakeResource) },
  errors: ['STAKE_NOT_FOUND'],
  async handle({ params, caller }, api) {
    const listed = await requireReadableStake(api, caller, params.stakeId);
    const now = await api.readingTime();
    return ok(enveloped(presentStake(listed, caller, api.networkId), now));
  },
});

/** The operations on stakes, in the order of the OpenAPI document. */
export const stakeRoutes = [stakeRoute, listStakesRoute, readStakeRoute, unstakeRoute];
