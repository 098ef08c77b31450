import { z } from 'zod';
import { requireReadableStake } from '../read-stakes.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { presentStake, StakeResource } from './response.ts';

export const readStakeRoute = route({
  method: 'get',
  path: '/stakes/:stakeId',
  operationId: 'readStake',
  summary: 'Read a stake with its voting power, its transactions and the actions open to the caller',
  description:
    '`votingPower` is 0 until the stake is final. `usedPower` is the largest amount that any one unfinished vote uses. A ' +
    'stake is LOCKED until `lockedUntil` while votes use it.',
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
