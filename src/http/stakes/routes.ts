import { z } from 'zod';
import type { Caller } from '../../domain/identity/caller.ts';
import { ServiceError } from '../../domain/errors.ts';
import { stakeStatuses } from '../../domain/stake/stake.ts';
import { getListedStake, listStakes } from '../../store/vault-stakes.ts';
import { findStake } from '../../store/stakes.ts';
import { created, ok } from '../server/answer.ts';
import { type ApiContext, route } from '../server/context.ts';
import { Enveloped, enveloped, EnvelopedPage, envelopedPage } from '../server/envelope.ts';
import { AddressFilter, AddressText, AmountText, ResourceId, TokenAmount, CaseInsensitive } from '../server/fields.ts';
import { deferError } from '../../services/defer-error.ts';
import { actorOf } from '../../services/actor.ts';
import { stake } from '../../services/stakes/stake.ts';
import { unstake } from '../../services/stakes/unstake.ts';
import { unsignedTransactionText, optionalWalletText } from '../server/descriptions.ts';
import { pageOf, pageQuery, paginationOf } from '../server/paging.ts';
import { presentStake, StakeResource } from './response.ts';
import { presentBuilt, WalletTransaction } from '../transactions/response.ts';
import { mayReadVault, ownershipAttributes, requireReadableVault } from '../../services/vaults/vault-access.ts';
import { prefetchWallet } from '../../services/transactions/wallet-prefetch.ts';

const OneVault = z.strictObject({ vaultId: ResourceId });
const OneStake = z.strictObject({ stakeId: ResourceId });

const StakeBegun = StakeResource.extend({
  deliveryDeposit: AmountText.describe(
    'Lovelace beside the tokens, which pay their way back; what is left returns with them',
  ),
  transaction: WalletTransaction,
});

const postStake = route({
  method: 'post',
  path: '/vaults/:vaultId/stakes',
  operationId: 'stake',
  summary: "Stake a locked vault's tokens in a script that neither their owner nor the vault opens alone",
  description: [
    'Once the vault is LOCKED. A stake counts in votes that open after it is final (`finalAt`) and whose ' +
      'execution ends before `ownerAloneFrom`, from when on its owner can take it without the vault.',
    unsignedTransactionText,
    optionalWalletText('walletAddress'),
  ].join(' '),
  answers: 'The stake is recorded; it has no power until its signed transaction is final',
  examples: { tokens: { amount: 2500 }, exactly: { amount: '0.000001' } },
  permission: { resource: 'stake', action: 'CREATE' },
  params: OneVault,
  body: z.strictObject({ walletAddress: AddressText.optional(), amount: TokenAmount }).meta({ id: 'StakeTokens' }),
  responses: { 201: Enveloped(StakeBegun) },
  errors: [
    'VAULT_NOT_FOUND',
    'VAULT_NOT_LOCKED',
    'VAULT_ALREADY_ENDED',
    'INVALID_QUANTITY',
    'ASSET_NOT_IN_WALLET',
    'INSUFFICIENT_FUNDS',
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'INSUFFICIENT_PERMISSIONS',
    'LEDGER_UNAVAILABLE',
    'SERVICE_NOT_READY',
  ],
  async handle({ params, body, caller, correlationId, idempotency }, context) {
    const staker = await actorOf(context, caller, body.walletAddress, 'walletAddress');
    const facts = await deferError(prefetchWallet(context, staker.address));
    const answer = await context.unitOfWork((work) =>
      idempotency.once(work.tx, async () => {
        const staking = { ...params, amount: body.amount, staker, caller, correlationId };
        const { stakeId, deliveryDeposit, transaction, expiresAt } = await stake(work, context, staking, facts);
        const data = {
          ...presentStake(await getListedStake(work.tx, stakeId), caller),
          deliveryDeposit: deliveryDeposit.toString(),
          transaction: presentBuilt(transaction, staker.signer, expiresAt),
        };
        return created(enveloped(data, work.now));
      }),
    );
    context.outboxRelay.deliver();
    return answer;
  },
});

const getStakes = route({
  method: 'get',
  path: '/vaults/:vaultId/stakes',
  operationId: 'listStakes',
  summary: 'List the stakes in a vault',
  description:
    'Amounts are whole tokens, exact in the fields that say base units. Those that never reached their script are listed with status ' +
    'RELEASED alone.',
  answers: 'A page of stakes',
  permission: { resource: 'stake', action: 'READ' },
  params: OneVault,
  query: z.strictObject({
    ...pageQuery(['createdAt', 'amount', 'status']),
    status: CaseInsensitive(stakeStatuses).optional(),
    wallet: AddressFilter.optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ stakes: z.array(StakeResource) })) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params, query, caller }, context) {
    const { id: vaultId } = await requireReadableVault(context, caller, params.vaultId);
    const { status, wallet } = query;
    const page = pageOf(query, 'createdAt:asc');
    const { stakes, total } = await listStakes(context.db, { vaultId, status, wallet }, page);
    const data = { stakes: stakes.map((one) => presentStake(one, caller)) };
    return ok(envelopedPage(data, paginationOf(query, total), await context.readingTime()));
  },
});

const getStake = route({
  method: 'get',
  path: '/stakes/:stakeId',
  operationId: 'readStake',
  summary: 'A stake with its power, its transactions and what its owner can do with it',
  description:
    '`votingPower` is what it counts for: 0 until it is final; `usedPower` is the most that any one unfinished ' +
    'vote uses of it. LOCKED means used, until `lockedUntil`.',
  permission: { resource: 'stake', action: 'READ' },
  params: OneStake,
  responses: { 200: Enveloped(StakeResource) },
  errors: ['STAKE_NOT_FOUND'],
  async handle({ params, caller }, context) {
    const { db } = context;
    const found = await findStake(db, params.stakeId);
    if (!found || !(await mayReadVault(context, caller, found.vaultId))) throw new ServiceError('STAKE_NOT_FOUND');
    return ok(enveloped(presentStake(await getListedStake(db, found.id), caller), await context.readingTime()));
  },
});

const deleteStake = route({
  method: 'delete',
  path: '/stakes/:stakeId',
  operationId: 'unstake',
  summary: 'Take staked tokens back: the owner signs, and the vault with them',
  description: [
    'Whole, in every phase of the vault, by its owner; refused with STAKE_LOCKED while a proposal that is ' +
      'not finished uses it.',
    unsignedTransactionText,
  ].join(' '),
  answers: 'The stake is as it was, with the transaction that returns it',
  permission: { resource: 'stake', action: 'DELETE', attributes: stakeFacts },
  params: OneStake,
  responses: { 200: Enveloped(StakeResource.extend({ transaction: WalletTransaction })) },
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
  async handle({ params, caller, correlationId, idempotency }, context) {
    const facts = await deferError(context.networkState());
    const answer = await context.unitOfWork((work) =>
      idempotency.once(work.tx, async () => {
        const unstaking = { ...params, caller, correlationId };
        const { transaction, signer, expiresAt } = await unstake(work, context, unstaking, facts);
        const data = {
          ...presentStake(await getListedStake(work.tx, params.stakeId), caller),
          transaction: presentBuilt(transaction, signer, expiresAt),
        };
        return ok(enveloped(data, work.now));
      }),
    );
    context.outboxRelay.deliver();
    return answer;
  },
});

async function stakeFacts({ stakeId }: { stakeId: string }, context: ApiContext, caller: Caller) {
  const stake = await findStake(context.db, stakeId);
  return ownershipAttributes(context, caller, stake?.vaultId, [stake?.wallet]);
}

export const stakeRoutes = [postStake, getStakes, getStake, deleteStake];
