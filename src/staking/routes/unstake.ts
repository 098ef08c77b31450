import { z } from 'zod';
import { stakeOwnershipAttributes } from '../read-stakes.ts';
import { unstake } from '../unstake.ts';
import { getListedStake } from '../queries/vault-stakes.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { runOnce } from '../../platform/http/run-once.ts';
import { unsignedTransactionText } from '../../platform/http/descriptions.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { OperationTransaction, presentBuilt } from '../../transactions/routes/response.ts';
import { presentStake, StakeResource } from './response.ts';

export const unstakeRoute = route({
  method: 'delete',
  path: '/stakes/:stakeId',
  operationId: 'unstake',
  summary: 'Return staked tokens to their owner; the owner signs, and the vault signs too',
  description: [
    'The owner can unstake the whole stake in every phase of the vault. STAKE_LOCKED means that an unfinished proposal uses ' +
      'the stake.',
    unsignedTransactionText,
  ].join(' '),
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
